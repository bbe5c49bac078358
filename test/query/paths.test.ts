/** Paths of at most three steps in filters, orders and embedding, through references and inverses. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { anyone, owner, password, ref, resource, service, signedIn, text } from 'restwell'
import { type Handled, type Handling, handling, linkOf } from '../handling.ts'
import { admin } from '../service.ts'
import { access, definition } from './tracker.ts'

let s: Handling
const ids: Record<string, string> = {}

before(async () => {
  s = await handling(definition)
  const create = async (name: string, line: string, body: object) => {
    const created = await s.handle(`POST ${line}`, admin, body)
    assert.equal(created.status, 201, created.text)
    ids[name] = created.json.id
    return created.json.id
  }
  const organisation = await create('acme', '/organisations', { name: 'Acme' })
  await create('garden', '/projects', { name: 'Garden', budget: '2.00', open: true, organisation })
  await create('attic', '/projects', { name: 'Attic', budget: '10.00', open: true })
  await create('bank', '/projects', { name: 'Bank', budget: '1.00', open: false, organisation })
  await create('nameless', '/projects', { open: true })
  const task = (title: string, project: string | undefined, points?: number) =>
    create(title, '/tasks', { title, ...(project ? { project: ids[project] } : {}), points })
  await task('a', 'garden', 3)
  await task('b', 'attic')
  await task('c', 'bank', 1)
  await task('d', undefined, 2)
  await task('e', 'garden', 9)
  await create('first', '/comments', { text: 'First', task: ids.a })
  await create('second', '/comments', { text: 'Second', task: ids.c })
})

after(() => s[Symbol.asyncDispose]())

async function titles(query: string, who = {}): Promise<string[]> {
  const response = await s.handle(`GET /tasks?${query}`, who)
  assert.equal(response.status, 200, response.text)
  return response.json.map(({ title }: { title: string }) => title)
}

async function names(query: string, who = {}): Promise<string[]> {
  const response = await s.handle(`GET /projects?${query}`, who)
  assert.equal(response.status, 200, response.text)
  return response.json.map(({ name }: { name?: string }) => name ?? '').sort()
}

async function refused(line: string, who = {}): Promise<Handled['json']> {
  const response = await s.handle(`GET ${line}`, who)
  assert.equal(response.status, 400, response.text)
  return response.json
}

it('a list is sorted by a field of the referenced item; a missing or hidden item sorts first', async () => {
  assert.deepEqual(await titles('sort=project.name'), ['c', 'd', 'b', 'a'])
  assert.deepEqual(await titles('sort=-project.name'), ['a', 'b', 'c', 'd'])
  assert.deepEqual(await titles('sort=project.name', admin), ['d', 'b', 'c', 'a', 'e'])
  assert.deepEqual(await titles('sort=-project.budget,-title', admin), ['b', 'e', 'a', 'c', 'd'])
  assert.deepEqual(await titles('sort=project.organisation.name,title'), ['b', 'c', 'd', 'a'])
})

interface Page {
  readonly uri: string
  readonly shown: readonly string[]
}

async function follow(first: string | undefined, rel: string, who: Record<string, string>): Promise<Page[]> {
  const pages: Page[] = []
  for (let uri = first; uri !== undefined; ) {
    const page = await s.handle(`GET ${uri}`, who)
    assert.equal(page.status, 200, page.text)
    pages.push({ uri, shown: page.json.map(({ title }: { title: string }) => title) })
    uri = linkOf(page, rel)
  }
  return pages
}

it('cursors continue an order through references, in both directions and every format', async () => {
  for (const [query, who] of [
    ['sort=project.name', {}],
    ['sort=-project.name,-points', {}],
    ['sort=project.organisation.name,-project.budget', admin],
    ['sort=project.id&project.name[missing]=false', {}],
  ] as const) {
    const whole = await titles(query, who)
    for (const limit of [1, 2]) {
      const onward = await follow(`/tasks?${query}&limit=${limit}`, 'next', who)
      assert.deepEqual(
        onward.flatMap(({ shown }) => shown),
        whole,
        query,
      )
      const back = await follow(onward.at(-1)?.uri, 'prev', who)
      assert.deepEqual(
        back.toReversed().flatMap(({ shown }) => shown),
        whole,
        query,
      )
    }
    const lines = await s.handle(`GET /tasks?${query}&format=ndjson`, who)
    const streamed = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).title)
    assert.deepEqual(streamed, whole)
  }
})

const hexOf = (value: string) => Buffer.from(value).toString('hex')

it('a cursor of an order through references has no hidden value', async () => {
  const page = await s.handle('GET /tasks?sort=project.name&limit=1')
  const cursor = new URLSearchParams(linkOf(page, 'next')?.split('?')[1]).get('after') ?? ''
  const payload = Buffer.from(cursor.slice(16), 'base64url')
  assert.deepEqual(payload, Buffer.from(`00${hexOf('null\n')}01${ids.c?.replaceAll('-', '')}`, 'hex'))
  const other = await s.handle(`GET /tasks?sort=project.budget&after=${cursor}`)
  assert.equal(other.json.type, '/problems/invalid-cursor')
})

it('a path has at most three steps, in each parameter', async () => {
  assert.deepEqual(await titles('project.organisation.name=Acme'), ['a'])
  assert.deepEqual((await s.handle('GET /comments?embed=task.project.organisation')).status, 200)
  for (const line of [
    '/comments?task.project.organisation.name=Acme',
    '/comments?sort=task.project.organisation.name',
    '/comments?embed=task.project.organisation.projects',
  ]) {
    const problem = await refused(line)
    assert.match(problem.detail, /of 4 steps\. A path has at most 3\./)
  }
  const query = await s.handle('QUERY /comments', {}, { 'task.project.organisation.name': 'Acme' })
  assert.equal(query.status, 422)
  assert.match(query.json.errors[0].detail, /at most 3/)
})

it('hidden fields, references and resources are refused in an order like unknown ones', async () => {
  for (const [path, hidden] of [
    ['project.secret', 'secret'],
    ['hidden.name', 'hidden'],
    ['project.lead.login', 'login'],
  ] as const) {
    const problem = await refused(`/tasks?sort=${path}`)
    const unknown = await refused(`/tasks?sort=${path.replace(hidden, 'xyzzy')}`)
    assert.equal(problem.type, '/problems/unknown-parameter')
    assert.equal(problem.detail, unknown.detail.replace('xyzzy', hidden))
    assert.doesNotMatch(unknown.detail, /secret|hidden|login/)
  }
  assert.equal((await s.handle('GET /tasks?sort=project.secret', admin)).status, 200)
  const problem = await refused('/tasks?sort=quiet.name')
  assert.match(problem.detail, /which tasks cannot be sorted by/)
})

it('a filter through an inverse asks for some item that the caller may read', async () => {
  assert.deepEqual(await names('tasks.title=a'), ['Garden'])
  assert.deepEqual(await names('tasks.title=e'), [])
  assert.deepEqual(await names('tasks.title=e', admin), ['Garden'])
  assert.deepEqual(await names('tasks.points[gt]=2'), ['Garden'])
  assert.deepEqual(await names('tasks.points[gt]=5'), [])
  assert.deepEqual(await names('tasks.comments.text=First'), ['Garden'])
  assert.deepEqual(await names(`tasks.id=${ids.b}`), ['Attic'])
  const organisations = await s.handle('GET /organisations?projects.tasks.title=c')
  assert.deepEqual(organisations.json, [])
  const asAdmin = await s.handle('GET /organisations?projects.tasks.title=c', admin)
  assert.equal(asAdmin.json[0].name, 'Acme')
  assert.deepEqual(await titles('project.tasks.title=b'), ['b'])
})

it('missing means that no item at the end of the path has a value', async () => {
  assert.deepEqual(await names('tasks[missing]=true'), [''])
  assert.deepEqual(await names('tasks[missing]=false'), ['Attic', 'Garden'])
  assert.deepEqual(await names('tasks.points[missing]=true'), ['', 'Attic'])
  assert.deepEqual(await names('tasks.points[missing]=false'), ['Garden'])
  const problem = await refused('/projects?tasks=1')
  assert.match(problem.detail, /Unknown operator 'eq' for 'tasks'/)
})

it('QUERY takes paths through inverses, in every combination', async () => {
  const query = async (body: object) => {
    const { json } = await s.handle('QUERY /projects', {}, body)
    return json.map(({ name }: { name?: string }) => name ?? '').sort()
  }
  assert.deepEqual(await query({ not: { 'tasks.title': 'a' } }), ['', 'Attic'])
  assert.deepEqual(await query({ any: [{ 'tasks.title': 'a' }, { tasks: { missing: true } }] }), [
    '',
    'Garden',
  ])
})

it('an inverse that the caller may not use is refused like an unknown one', async () => {
  for (const line of [
    'hiddenTasks.title=a',
    'hiddenTasks[missing]=true',
    'embed=hiddenTasks',
    'nothing.title=a',
  ]) {
    const problem = await refused(`/projects?${line}`)
    assert.equal(problem.type, '/problems/unknown-parameter', line)
    assert.ok(!(problem.known ?? []).includes('hiddenTasks'))
  }
  assert.equal((await s.handle('GET /projects?hiddenTasks.title=a', admin)).status, 200)
  assert.match((await refused('/projects?quietTasks.title=a')).detail, /cannot be used to filter/)
  assert.match((await refused('/projects?task.title=a')).detail, /Did you mean 'tasks\.title'\?/)
})

it('a filter through an inverse compares with what each caller sees, in equal requests too', async () => {
  const own = service({
    title: 'Notes',
    accounts: { resource: 'users', login: 'login', password: 'password' },
    resources: {
      users: resource({ login: text(), password: password() }, { key: 'login', access: { create: anyone } }),
      boards: resource({ name: text() }, { access }),
      notes: resource(
        {
          board: ref('boards', { inverse: 'notes' }).visibleTo(owner('by')),
          by: ref('users').fromPrincipal(),
        },
        { access: { ...access, create: signedIn } },
      ),
    },
  })
  await using notes = await handling(own)
  const [ann, bob] = ['ann', 'bob'].map((name) => ({
    authorization: `Basic ${Buffer.from(`${name}:correct horse battery`).toString('base64')}`,
  }))
  for (const login of ['ann', 'bob']) {
    await notes.handle('POST /users', {}, { login, password: 'correct horse battery' })
  }
  const { json: board } = await notes.handle('POST /boards', ann, { name: 'Ideas' })
  assert.equal((await notes.handle('POST /notes', ann, { board: board.id })).status, 201)
  const seenBy = async (who: Record<string, string> | undefined) => {
    const { status, json } = await notes.handle('GET /boards?notes[missing]=false', who)
    assert.equal(status, 200)
    return json.length
  }
  assert.deepEqual([await seenBy(ann), await seenBy(bob), await seenBy(ann)], [1, 0, 1])
})

it('an order through an inverse is 400, with the reason', async () => {
  for (const path of ['tasks.title', 'tasks', 'organisation.projects.name']) {
    const problem = await refused(`/projects?sort=${path}`)
    assert.match(problem.detail, /leads to several items\. Sort by a field of the item/)
  }
})

it('a path embeds the items of each step that the caller may read', async () => {
  const embedded = async (who = {}) => {
    const { json } = await s.handle(`GET /comments?embed=task.project.organisation`, who)
    return json.map(({ _embedded }: { _embedded: { task: object } }) => _embedded.task)
  }
  const [first, second] = await embedded()
  assert.equal(first._embedded.project.name, 'Garden')
  assert.equal(first._embedded.project._embedded.organisation.name, 'Acme')
  assert.equal(first._embedded.project.secret, undefined)
  assert.equal(second.title, 'c')
  assert.equal(second._embedded, undefined)
  const [, asAdmin] = await embedded(admin)
  assert.equal(asAdmin._embedded.project.name, 'Bank')
  const several = await s.handle(`GET /comments/${ids.first}?embed=task.project,task&fields=text`)
  assert.deepEqual(Object.keys(several.json), ['id', 'text', 'task', '_embedded'])
  assert.deepEqual(Object.keys(several.json._embedded.task._embedded), ['project'])
})

it('an inverse is embedded as an array in the order of id', async () => {
  const { json } = await s.handle(`GET /projects/${ids.garden}?embed=tasks,organisation`)
  assert.deepEqual(
    json._embedded.tasks.map(({ title }: { title: string }) => title),
    ['a'],
  )
  assert.equal(json._embedded.organisation.name, 'Acme')
  assert.equal(json._links, undefined)
  const list = await s.handle('GET /projects?embed=tasks&sort=-budget', admin)
  const embedded = list.json.map(({ _embedded }: { _embedded: { tasks: { title: string }[] } }) =>
    _embedded.tasks.map(({ title }) => title),
  )
  assert.deepEqual(embedded, [['b'], ['a', 'e'], ['c'], []])
  const through = await s.handle(`GET /comments/${ids.first}?embed=task.project.tasks`)
  assert.equal(through.json._embedded.task._embedded.project._embedded.tasks[0].id, ids.a)
})

it('an inverse of the items of an inverse is embedded too', async () => {
  const { json } = await s.handle(`GET /organisations/${ids.acme}?embed=projects.tasks`)
  const [garden] = json._embedded.projects
  assert.equal(garden._embedded.tasks[0].title, 'a')
})
