/** Derived fields: their values, who sees which, filters and orders by them, and writes (docs/reference/http/lists.md, "Derived fields"). */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { linkOf } from '../handling.ts'
import { admin } from '../service.ts'
import { member, openTimesheet, type Timesheet } from './timesheet.ts'

let s: Timesheet
const ids: Record<string, string> = {}

before(async () => {
  s = await openTimesheet()
  const project = async (name: string, body: object = {}) => {
    ids[name] = await s.create('projects', { name, ...body })
    return ids[name]
  }
  const garden = await project('garden', { due: '2020-01-01', budget: 5 })
  const attic = await project('attic', { due: '9999-01-01' })
  await project('empty')
  const task = (body: object, who?: Readonly<Record<string, string>>) =>
    s.create('tasks', { title: 'Dig', ...body }, who)
  await task({ project: garden, points: 3, weight: 0.1, due: '2026-03-01', secret: 4 })
  ids.task = await task({ project: garden, points: 2, weight: 0.2, status: 'done', secret: 7 }, member)
  await task({ project: garden, points: 9, hidden: true, due: '2025-01-01' })
  await task({ project: attic, due: '2026-02-01' }, member)
  await task({ title: 'Alone' })
  for (const hours of ['0.10', '0.20', '31.20', undefined])
    await s.create('entries', { hours, project: garden })
  await s.create('entries', { hours: '7.05', project: attic })
})

after(() => s[Symbol.asyncDispose]())

async function read(line: string, who = {}) {
  const response = await s.handle(`GET ${line}`, who)
  assert.equal(response.status, 200, response.text)
  return response.json
}

async function names(query: string, who = {}): Promise<string[]> {
  const items = await read(`/projects?${query}`, who)
  return items.map(({ name }: { name: string }) => name)
}

it('an item shows its derived fields, with exact sums and averages', async () => {
  const { size, open, hours, average, points, meanPoints, weight, firstDue, longest } = await read(
    `/projects/${ids.garden}`,
  )
  assert.deepEqual(
    { size, open, hours, average, points, meanPoints, weight, firstDue, longest },
    {
      size: 2,
      open: 1,
      hours: '31.50',
      average: '10.5000',
      points: 5,
      meanPoints: 2.5,
      weight: 0.3,
      firstDue: '2026-03-01',
      longest: '31.20',
    },
  )
})

it('without items, count and sum are 0 and the others are absent', async () => {
  const item = await read(`/projects/${ids.empty}`)
  assert.deepEqual([item.size, item.hours, item.points, item.weight], [0, '0.00', 0, 0])
  for (const name of ['average', 'meanPoints', 'firstDue', 'longest', 'newest']) {
    assert.equal(Object.hasOwn(item, name), false, name)
  }
})

it('a list shows the fields that are always shown, and those that `fields` names', async () => {
  const [first] = await read('/projects?name=garden')
  assert.deepEqual([first.size, first.open, first.hours, first.overdue], [2, undefined, undefined, undefined])
  const [chosen] = await read('/projects?name=garden&fields=hours,overdue')
  assert.deepEqual(chosen, { id: ids.garden, hours: '31.50', overdue: true })
})

it('a count is that of the sub-collection for the same caller', async () => {
  for (const [who, expected] of [
    [admin, 3],
    [member, 2],
    [{}, 2],
  ] as const) {
    const { size } = await read(`/projects/${ids.garden}`, who)
    const list = await s.handle(`GET /projects/${ids.garden}/tasks`, { ...who, prefer: 'count=exact' })
    assert.deepEqual([size, list.json.length], [expected, expected])
  }
})

it('a value that the caller does not see enters no sum', async () => {
  const seen = await Promise.all(
    [admin, member, {}].map(async (who) => (await read(`/projects/${ids.garden}`, who)).secrets),
  )
  assert.deepEqual(seen, [4, 7, 0])
})

it('`where` may name the caller', async () => {
  assert.equal((await read(`/projects/${ids.garden}`, member)).mine, 1)
  assert.equal((await read(`/projects/${ids.garden}`)).mine, 0)
})

it('a computed field is shown to callers who see all fields that it is computed from', async () => {
  assert.equal((await read(`/projects/${ids.garden}`, admin)).spent, 10)
  assert.equal((await read(`/projects/${ids.attic}`, admin)).spent, undefined)
  assert.equal(Object.hasOwn(await read(`/projects/${ids.garden}`, member), 'spent'), false)
  assert.equal((await s.handle('GET /projects?fields=spent', member)).status, 400)
  const overdue = await Promise.all(
    [ids.garden, ids.attic, ids.empty].map(async (id) => (await read(`/projects/${id}`)).overdue),
  )
  assert.deepEqual(overdue, [true, false, false])
})

it('lists are filtered by derived fields', async () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['size=2', ['garden']],
    ['size[gte]=1', ['attic', 'garden']],
    ['size[in]=0,1', ['attic', 'empty']],
    ['open[ne]=1', ['empty']],
    ['hours=31.5', ['garden']],
    ['hours[lt]=7.051', ['attic', 'empty']],
    ['hours[gt]=31.49&size[gt]=0', ['garden']],
    ['average=10.5', ['garden']],
    ['average[missing]=true', ['empty']],
    ['meanPoints[gte]=2.5', ['garden']],
    ['weight=0.3', ['garden']],
    ['points[lte]=4', ['attic', 'empty']],
    ['firstDue[lt]=2026-02-15', ['attic']],
    ['longest[gte]=7.05', ['attic', 'garden']],
  ]
  for (const [query, expected] of cases) assert.deepEqual((await names(query)).sort(), expected, query)
  assert.deepEqual(await names('size=3', admin), ['garden'])
  const body = { any: [{ size: { gt: 1 } }, { not: { hours: { gte: '1.00' } } }] }
  const found = await s.handle('QUERY /projects', { 'content-type': 'application/json' }, body)
  assert.deepEqual(found.json.map(({ name }: { name: string }) => name).sort(), ['empty', 'garden'])
})

it('lists are sorted by derived fields; absent values first', async () => {
  assert.deepEqual(await names('sort=size'), ['empty', 'attic', 'garden'])
  assert.deepEqual(await names('sort=-hours'), ['garden', 'attic', 'empty'])
  assert.deepEqual(await names('sort=average'), ['empty', 'attic', 'garden'])
  assert.deepEqual(await names('sort=firstDue'), ['empty', 'attic', 'garden'])
  assert.deepEqual(await names('sort=-weight,name'), ['garden', 'attic', 'empty'])
})

it('pages follow each other in the order of derived fields, in both directions', async () => {
  for (const sort of ['hours', '-average', 'firstDue', '-size', 'meanPoints,-hours', 'weight']) {
    const all = await names(`sort=${sort}`)
    const walked: string[] = []
    let page = await s.handle(`GET /projects?sort=${sort}&limit=1`)
    for (;;) {
      walked.push(page.json[0].name)
      const next = linkOf(page, 'next')
      if (next === undefined) break
      page = await s.handle(`GET ${next}`)
    }
    assert.deepEqual(walked, all, sort)
    const before = await s.handle(`GET ${linkOf(page, 'prev')}`)
    assert.equal(before.json[0].name, all.at(-2), sort)
  }
})

it('paths lead to derived fields of the referenced item', async () => {
  const titles = async (query: string) => (await read(`/tasks?${query}`)).length
  assert.equal(await titles('project.size=2'), 2)
  assert.equal(await titles('project.size[missing]=true'), 1)
  const [first] = await read('/tasks?sort=-project.hours&fields=project')
  assert.equal(first.project, ids.garden)
  const [last] = await read('/tasks?sort=project.hours&fields=project')
  assert.equal(last.project, undefined)
})

it('a computed field is no filter and no order, and derived fields are no groups', async () => {
  for (const query of [
    '?overdue=true',
    '?sort=overdue',
    '/-/aggregate?group-by=size&aggregate=count',
    '/-/aggregate?aggregate=hours.sum',
  ]) {
    assert.equal((await s.handle(`GET /projects${query}`)).status, 400, query)
  }
})

it('embedded items show the fields that are always shown', async () => {
  const { _embedded } = await read(`/tasks/${ids.task}?embed=project`)
  assert.deepEqual([_embedded.project.size, _embedded.project.hours], [2, undefined])
})

it('a request that sets a derived field is 422', async () => {
  const fault = { pointer: '/size', rule: 'readOnly' }
  const requests = [
    ['POST /projects', { name: 'New', size: 1 }, {}],
    [`PATCH /projects/${ids.attic}`, { size: 1 }, { 'content-type': 'application/merge-patch+json' }],
    [
      `PATCH /projects/${ids.attic}`,
      [{ op: 'replace', path: '/size', value: 9 }],
      { 'content-type': 'application/json-patch+json' },
    ],
    [`PUT /projects/${ids.attic}`, { name: 'attic', size: 9 }, {}],
  ] as const
  for (const [line, body, fields] of requests) {
    const refused = await s.handle(line, { ...admin, ...fields }, body)
    assert.equal(refused.status, 422, refused.text)
    const [{ pointer, rule }] = refused.json.errors
    assert.deepEqual({ pointer, rule }, fault, line)
  }
})

it('a PUT may send back the derived values that it read', async () => {
  const item = await read(`/projects/${ids.attic}`, admin)
  const put = await s.handle(`PUT /projects/${ids.attic}`, admin, { ...item, closed: true })
  assert.equal(put.status, 200, put.text)
  assert.deepEqual([put.json.size, put.json.hours, put.json.closed], [1, '7.05', true])
})

it('a JSON Patch may test a derived value', async () => {
  const patch = (value: number) => [
    { op: 'test', path: '/size', value },
    { op: 'replace', path: '/name', value: 'attic' },
  ]
  const type = { 'content-type': 'application/json-patch+json' }
  assert.equal((await s.handle(`PATCH /projects/${ids.attic}`, type, patch(1))).status, 200)
  assert.equal((await s.handle(`PATCH /projects/${ids.attic}`, type, patch(2))).status, 409)
})

it('the responses to writes show derived fields', async () => {
  const created = await s.handle('POST /projects', {}, { name: 'fresh' })
  assert.deepEqual([created.json.size, created.json.hours, created.json.overdue], [0, '0.00', false])
  const patched = await s.handle(`PATCH /projects/${ids.garden}`, {}, { closed: true })
  assert.deepEqual([patched.json.size, patched.json.overdue], [2, false])
  await s.handle(`PATCH /projects/${ids.garden}`, {}, { closed: false })
  assert.equal((await s.handle(`DELETE /projects/${created.json.id}`)).status, 204)
})

it('a change of a derived value changes the entity tag, but not the version (RFC 9110 §8.8.3)', async () => {
  for (const uri of [
    `/projects/${ids.attic}`,
    '/projects',
    '/projects?fields=hours',
    '/projects?format=hal',
  ]) {
    const before = await s.handle(`GET ${uri}`)
    const condition = { 'if-none-match': before.fields.etag ?? '' }
    assert.equal((await s.handle(`GET ${uri}`, condition)).status, 304, uri)
    const id = await s.create('tasks', { title: 'More', project: ids.attic })
    const entry = await s.create('entries', { hours: '1.00', project: ids.attic })
    const after = await s.handle(`GET ${uri}`, condition)
    assert.equal(after.status, 200, uri)
    for (const one of [`/tasks/${id}`, `/entries/${entry}`]) await s.handle(`DELETE ${one}`, admin)
  }
  const { fields, json } = await s.handle(`GET /projects/${ids.attic}`)
  await s.create('tasks', { title: 'More', project: ids.attic })
  assert.equal((await read(`/projects/${ids.attic}`)).updatedAt, json.updatedAt)
  const patched = await s.handle(
    `PATCH /projects/${ids.attic}`,
    { 'if-match': fields.etag ?? '' },
    { name: 'Attic' },
  )
  assert.equal(patched.status, 200)
})

it('an item with derived fields has no Last-Modified and no lifetime (RFC 9111 §4.2)', async () => {
  const { fields } = await s.handle(`GET /projects/${ids.empty}`)
  assert.equal(fields['last-modified'], undefined)
  assert.doesNotMatch(fields['cache-control'] ?? '', /max-age/)
  const plain = await s.handle(`GET /projects/${ids.empty}?fields=name`)
  assert.ok(plain.fields['last-modified'])
})
