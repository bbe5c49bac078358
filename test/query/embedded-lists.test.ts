/** Inverses as embedded lists: their limits, the links to the rest, and every format. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { anyone, integer, ref, resource, service, text } from 'restwell'
import { type Handling, handling, linkOf } from '../handling.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Tracker',
  resources: {
    projects: resource({ name: text({ max: 100_000 }) }, { access, bulk: true }),
    tasks: resource(
      { number: integer(), project: ref('projects', { inverse: 'tasks' }) },
      { access, bulk: true },
    ),
    notes: resource(
      { text: text({ max: 100_000 }), task: ref('tasks', { inverse: 'notes' }) },
      { access, bulk: true },
    ),
    codes: resource(
      { code: integer(), project: ref('projects', { inverse: 'codes' }) },
      { key: 'code', access },
    ),
  },
})

let s: Handling
const ids: Record<string, string> = {}

before(async () => {
  s = await handling(definition, { limits: { page: 200_000 } })
  const names = ['fifty', 'more', 'none', 'large']
  const projects = await create(
    '/projects',
    names.map((name) => ({ name })),
  )
  for (const [at, name] of names.entries()) ids[name] = projects[at] ?? ''
  const tasksOf = (project: string | undefined, count: number) =>
    Array.from({ length: count }, (_, number) => ({ number, project }))
  await create('/tasks', tasksOf(ids.fifty, 50))
  await create('/tasks', tasksOf(ids.more, 51))
  const large = await create('/tasks', tasksOf(ids.large, 6))
  await create(
    '/notes',
    large.map((task) => ({ text: 'x'.repeat(50_000), task })),
  )
  for (const code of [30, 4, 200]) await create('/codes', { code, project: ids.none })
})

after(() => s[Symbol.asyncDispose]())

async function create(uri: string, body: object): Promise<string[]> {
  const created = await s.handle(`POST ${uri}`, {}, body)
  assert.equal(created.status, 201, created.text)
  return [created.json].flat().map(({ id }: { id: string }) => id)
}

function idsOf(items: readonly { id: string }[]): string[] {
  return items.map(({ id }) => id)
}

async function firstTasks(project: string | undefined, limit: number): Promise<string[]> {
  return idsOf((await s.handle(`GET /tasks?project=${project}&limit=${limit}`)).json)
}

it('fifty items are embedded, without a link; of fifty-one the first fifty, with a link to all', async () => {
  const fifty = await s.handle(`GET /projects/${ids.fifty}?embed=tasks`)
  assert.deepEqual(idsOf(fifty.json._embedded.tasks), await firstTasks(ids.fifty, 50))
  assert.equal(fifty.json._links, undefined)
  const more = await s.handle(`GET /projects/${ids.more}?embed=tasks`)
  assert.deepEqual(idsOf(more.json._embedded.tasks), await firstTasks(ids.more, 50))
  assert.deepEqual(more.json._links, { tasks: { href: `/projects/${ids.more}/tasks` } })
  assert.equal((await s.handle(`GET ${more.json._links.tasks.href}?limit=100`)).json.length, 51)
  const none = await s.handle(`GET /projects/${ids.none}?embed=tasks`)
  assert.deepEqual(none.json._embedded, { tasks: [] })
})

it('the items are in the order of id, which is the key where there is one', async () => {
  const { json } = await s.handle(`GET /projects/${ids.none}?embed=codes`)
  assert.deepEqual(
    json._embedded.codes.map(({ code }: { code: number }) => code),
    [4, 30, 200],
  )
})

it('the tag of the item changes with its embedded list', async () => {
  const target = `/projects/${ids.none}?embed=tasks`
  const before = await s.handle(`GET ${target}`)
  const condition = { 'if-none-match': before.fields.etag ?? '' }
  assert.equal((await s.handle(`GET ${target}`, condition)).status, 304)
  const [task] = await create('/tasks', { number: 7, project: ids.none })
  assert.equal((await s.handle(`GET ${target}`, condition)).status, 200)
  assert.equal((await s.handle(`DELETE /tasks/${task}`)).status, 204)
  assert.equal((await s.handle(`GET ${target}`, condition)).status, 304)
  const list = await s.handle('GET /projects?embed=tasks.notes')
  const changed = { 'if-none-match': list.fields.etag ?? '' }
  const [{ id, number }] = (await s.handle('GET /tasks?limit=1')).json
  await s.handle(`PATCH /tasks/${id}`, {}, { number })
  assert.equal((await s.handle('GET /projects?embed=tasks.notes', changed)).status, 304)
})

it('a single item embeds fewer items than fifty when they are too large, with a link to all', async () => {
  const { json } = await s.handle(`GET /projects/${ids.large}?embed=tasks.notes`)
  const { tasks } = json._embedded
  assert.ok(tasks.length > 0 && tasks.length < 6, `${tasks.length}`)
  assert.deepEqual(idsOf(tasks), await firstTasks(ids.large, tasks.length))
  assert.equal(tasks[0]._embedded.notes[0].text.length, 50_000)
  assert.equal(json._links.tasks.href, `/projects/${ids.large}/tasks`)
})

it('a large item that every item of a list embeds is counted each time', async () => {
  const large = await create('/projects', { name: 'x'.repeat(60_000) })
  const tasks = Array.from({ length: 10 }, (_, number) => ({ number, project: large[0] }))
  const created = await create('/tasks', tasks)
  const response = await s.handle(`GET /projects/${large[0]}?embed=tasks.project`)
  assert.ok(response.text.length < 500_000, `${response.text.length}`)
  assert.ok(response.json._embedded.tasks.length < 10)
  assert.ok(response.json._links.tasks.href)
  for (const id of created) await s.handle(`DELETE /tasks/${id}`)
  assert.equal((await s.handle(`DELETE /projects/${large[0]}`)).status, 204)
})

it('a page has fewer items when they embed too much, and next leads to the others', async () => {
  const seen: string[] = []
  let pages = 0
  for (let next: string | undefined = '/projects?embed=tasks.notes'; next; pages += 1) {
    const page = await s.handle(`GET ${next}`)
    assert.ok(page.text.length < 400_000)
    seen.push(...page.json.map(({ name }: { name: string }) => name))
    next = linkOf(page, 'next')
  }
  assert.deepEqual(seen.sort(), ['fifty', 'large', 'more', 'none'])
  assert.ok(pages > 1)
})

it('HAL has the lists under the relation; XML and NDJSON as JSON; CSV ignores embed', async () => {
  const hal = await s.handle(`GET /projects/${ids.more}?embed=tasks&format=hal`)
  assert.equal(hal.json._embedded['rw:tasks'].length, 50)
  assert.deepEqual(hal.json._links['rw:tasks'], { href: `/projects/${ids.more}/tasks` })
  const xml = await s.handle(`GET /projects/${ids.more}?embed=tasks&format=xml`)
  const link = `<_links><tasks><href>/projects/${ids.more}/tasks</href></tasks></_links>`
  assert.ok(xml.text.includes(`${link}<_embedded><tasks><item><id>`), xml.text.slice(0, 500))
  const ndjson = await s.handle('GET /projects?embed=tasks&format=ndjson')
  const lines = ndjson.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(lines.map(({ name, _embedded }) => `${name} ${_embedded.tasks.length}`).sort(), [
    'fifty 50',
    'large 6',
    'more 50',
    'none 0',
  ])
  const csv = await s.handle('GET /projects?embed=tasks&format=csv')
  assert.match(csv.text, /^id,name,createdAt,updatedAt\r\n/)
})

it('the page of an item shows a list by titles, and a referenced item by its fields', async () => {
  const list = await s.handle(`GET /projects/${ids.more}?embed=tasks`, { accept: 'text/html' })
  const section = /<h2>Tasks \(embedded\)<\/h2><ul>(.*?)<\/section>/s.exec(list.text)?.[1] ?? ''
  assert.equal(section.match(/<li><a href="\/tasks\//g)?.length, 50)
  assert.ok(section.includes(`<a href="/projects/${ids.more}/tasks">Show all</a>`))
  const [task] = await firstTasks(ids.more, 1)
  const one = await s.handle(`GET /tasks/${task}?embed=project`, { accept: 'text/html' })
  assert.match(one.text, /<h2>Project<\/h2><p><a href="\/projects\/[^"]*">more<\/a><\/p><dl class="fields">/)
})
