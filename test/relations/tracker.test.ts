/** examples/tracker/service.ts: what each of five callers sees and may do, from one table. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import definition, { sample } from '../../examples/tracker/service.ts'
import type { ResourceModel, Stored } from '../../src/definition/model.ts'
import { createCapabilities } from '../../src/describe/create-capabilities.ts'
import { createOpenApi } from '../../src/describe/openapi.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { insertSample } from '../../src/service/first-start.ts'
import { createService } from '../../src/service/service.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { handleDirectly } from '../access/direct.ts'
import { openTestStore } from '../database.ts'
import { documentsFor } from '../documents.ts'
import { basic } from '../service.ts'

const password = 'correct horse battery'
const callers = ['viewer', 'member', 'manager', 'other', 'anonymous'] as const
type Caller = (typeof callers)[number]
const logins: Readonly<Record<Caller, string | undefined>> = {
  viewer: 'vera@example.org',
  member: 'max@example.org',
  manager: 'mona@example.org',
  other: 'olga@example.org',
  anonymous: undefined,
}

/** A status, or the items of a list by their labels, in the order of the labels. */
type Outcome = number | readonly string[]

/**
 * A request and its outcome for each caller. `<Rocket>` is the id of the row with that label. Reads come
 * first, because writes change the lists; deletions come last. A GET is also sent as HEAD, and the GET of
 * a list as QUERY.
 */
type Line = readonly [request: string, ...outcomes: readonly Outcome[]]

const all = ['Build the engine', 'Paint the hull']
const logged = ['2026-11-02 3.50', '2026-11-03 2.00']
const people = ['Max', 'Mona', 'Vera']

/** Each request with the outcome for: viewer, member, manager, manager of another organisation, anonymous. */
const table: readonly Line[] = [
  ['GET /users', ['vera@example.org'], ['max@example.org'], ['mona@example.org'], ['olga@example.org'], 401],
  ['GET /users/<vera@example.org>', 200, 404, 404, 404, 401],
  ['GET /organisations', ['acme'], ['acme'], ['acme'], ['bolt'], 401],
  ['GET /organisations/acme', 200, 200, 200, 404, 401],
  ['GET /organisations/acme/memberships', people, people, people, 404, 401],
  ['GET /organisations/acme/projects', ['Rocket'], ['Rocket'], ['Rocket'], 404, 401],
  ['GET /organisations/acme/labels', ['urgent'], ['urgent'], ['urgent'], 404, 401],
  ['GET /memberships', people, people, people, ['Olga'], 401],
  ['GET /memberships/<Max>', 200, 200, 200, 404, 401],
  ['GET /memberships/<Max>/tasks', all.slice(0, 1), all.slice(0, 1), all.slice(0, 1), 404, 401],
  ['GET /projects', ['Rocket'], ['Rocket'], ['Rocket'], ['Bridge'], 401],
  ['GET /projects/<Rocket>', 200, 200, 200, 404, 401],
  ['GET /projects/<Rocket>/tasks', all, all, all, 404, 401],
  ['GET /tasks', all, all, all, ['Count the bolts'], 401],
  ['GET /tasks/<Build the engine>', 200, 200, 200, 404, 401],
  ['GET /tasks/<Build the engine>/comments', ['Which fuel?'], ['Which fuel?'], ['Which fuel?'], 404, 401],
  ['GET /tasks/<Build the engine>/entries', logged, logged, logged, 404, 401],
  ['GET /tasks/<Build the engine>/history', 200, 200, 200, 404, 401],
  ['GET /tasks/<Build the engine>/history/none', 404, 404, 404, 404, 401],
  ['GET /tasks/<Build the engine>/attachments/none', 404, 404, 404, 404, 401],
  ['GET /labels', ['urgent'], ['urgent'], ['urgent'], ['design'], 401],
  ['GET /labels/<urgent>', 200, 200, 200, 404, 401],
  ['GET /comments', ['Which fuel?'], ['Which fuel?'], ['Which fuel?'], ['Twelve thousand.'], 401],
  ['GET /comments/<Which fuel?>', 200, 200, 200, 404, 401],
  ['GET /entries', logged, logged, logged, ['2026-11-03 7.25'], 401],
  ['GET /entries/<2026-11-02 3.50>', 200, 200, 200, 404, 401],
  ['GET /tasks?hours=5.50', all.slice(0, 1), all.slice(0, 1), all.slice(0, 1), [], 401],
  ['GET /tasks?project.taskCount=2', all, all, all, [], 401],
  ['GET /projects?openTasks=1&sort=-taskCount', ['Rocket'], ['Rocket'], ['Rocket'], ['Bridge'], 401],
  ['GET /tasks?labels.name=urgent', all.slice(0, 1), all.slice(0, 1), all.slice(0, 1), [], 401],
  ['GET /tasks?labels[has]=<design>', [], [], [], ['Count the bolts'], 401],
  ['GET /organisations?projects.tasks.title=Count+the+bolts', [], [], [], ['bolt'], 401],
  ['PUT /users/<vera@example.org> {"email":"vera@example.org"}', 200, 404, 404, 404, 401],
  ['PUT /organisations/acme {"slug":"acme","name":"Acme"}', 403, 403, 200, 404, 401],
  [
    'PUT /memberships/<Max> {"name":"Max","organisation":"acme","user":"<max@example.org>"}',
    ...[403, 403, 200, 404, 401],
  ],
  ['PUT /projects/<Rocket> {"name":"Rocket","organisation":"acme"}', 403, 403, 200, 404, 401],
  [
    'PUT /tasks/<Build the engine> {"title":"Build the engine","project":"<Rocket>","number":1}',
    ...[403, 200, 200, 404, 401],
  ],
  ['PUT /labels/<urgent> {"name":"urgent","organisation":"acme"}', 403, 200, 200, 404, 401],
  [
    'PUT /comments/<Which fuel?> {"text":"Which fuel?","task":"<Build the engine>"}',
    ...[403, 403, 200, 404, 401],
  ],
  [
    'PUT /entries/<2026-11-02 3.50> {"day":"2026-11-02","hours":"3.50","task":"<Build the engine>"}',
    ...[403, 200, 403, 404, 401],
  ],
  ['PUT /tasks/<Build the engine>/labels/<urgent>', 403, 204, 204, 404, 401],
  ['PUT /tasks/<Build the engine>/labels/<design>', 403, 404, 404, 404, 401],
  ['DELETE /tasks/<Build the engine>/labels/<urgent>', 403, 204, 204, 404, 401],
  ['PATCH /tasks/<Paint the hull> {"labels":["<urgent>"]}', 403, 200, 200, 404, 401],
  ['PATCH /tasks/<Paint the hull> {"labels":["<design>"]}', 403, 422, 422, 404, 401],
  ['PATCH /users/<vera@example.org> {}', 200, 404, 404, 404, 401],
  ['PATCH /organisations/acme {"name":"Acme"}', 403, 403, 200, 404, 401],
  ['PATCH /memberships/<Max> {"name":"Max"}', 403, 403, 200, 404, 401],
  ['PATCH /projects/<Rocket> {"name":"Rocket"}', 403, 403, 200, 404, 401],
  ['PATCH /tasks/<Build the engine> {"title":"Build the engine"}', 403, 200, 200, 404, 401],
  ['PATCH /tasks/<Paint the hull> {"status":"done"}', 403, 403, 200, 404, 401],
  ['POST /tasks/<Build the engine>/assign {"person":"<Max>"}', 403, 403, 200, 404, 401],
  ['POST /tasks/<Build the engine>/assign {"person":"<Olga>"}', 403, 403, 422, 404, 401],
  ['PATCH /labels/<urgent> {"name":"urgent"}', 403, 200, 200, 404, 401],
  ['PATCH /comments/<Which fuel?> {"text":"Which fuel?"}', 403, 403, 200, 404, 401],
  ['PATCH /entries/<2026-11-02 3.50> {"hours":"3.50"}', 403, 200, 403, 404, 401],
  ['POST /users {"email":"new@example.org","password":"long enough"}', 403, 403, 403, 403, 401],
  ['POST /organisations {"slug":"new","name":"New"}', 403, 403, 403, 403, 401],
  ['POST /organisations/acme/memberships {"name":"New"}', 403, 403, 403, 403, 401],
  ['POST /organisations/acme/projects {"name":"New"}', 403, 403, 201, 404, 401],
  ['POST /organisations/acme/labels {"name":"by CALLER"}', 403, 201, 201, 404, 401],
  ['POST /memberships {"name":"New","organisation":"acme"}', 403, 403, 403, 403, 401],
  ['POST /memberships/<Max>/tasks {"title":"New","project":"<Rocket>"}', 403, 201, 201, 404, 401],
  ['POST /projects {"name":"New","organisation":"acme"}', 403, 403, 201, 422, 401],
  ['POST /projects/<Rocket>/tasks {"title":"New"}', 403, 201, 201, 404, 401],
  ['POST /projects/<Rocket>/tasks {"title":"New","number":1}', 422, 422, 422, 404, 401],
  ['PATCH /projects/<Rocket> {"archived":true}', 403, 403, 409, 404, 401],
  ['PATCH /tasks/<Build the engine> {"start":"2027-03-02","due":"2027-03-01"}', 403, 422, 422, 404, 401],
  ['POST /tasks {"title":"New","project":"<Rocket>"}', 403, 201, 201, 422, 401],
  ['POST /tasks/<Build the engine>/comments {"text":"New"}', 403, 201, 201, 404, 401],
  ['POST /tasks/<Build the engine>/entries {"day":"2026-11-16","hours":"1.00"}', 403, 201, 201, 404, 401],
  ['POST /labels {"name":"also by CALLER","organisation":"acme"}', 403, 201, 201, 422, 401],
  ['POST /comments {"text":"New","task":"<Build the engine>"}', 403, 201, 201, 422, 401],
  ['POST /entries {"day":"2026-11-16","hours":"1.00","task":"<Build the engine>"}', 403, 201, 201, 422, 401],
  // JSON is not among the types of attachments, which is decided before the task.
  ['POST /tasks/<Build the engine>/attachments {}', 415, 415, 415, 415, 401],
  ['PUT /tasks/<Build the engine>/attachments/none {}', 415, 415, 415, 415, 401],
  ['DELETE /tasks/<Build the engine>/attachments/none', 403, 404, 404, 404, 401],
  ['DELETE /users/<vera@example.org>', 403, 403, 403, 403, 401],
  ['DELETE /organisations/acme', 403, 403, 403, 403, 401],
  ['DELETE /entries/<2026-11-03 2.00>', 403, 204, 404, 404, 401],
  ['DELETE /comments/<Which fuel?>', 403, 403, 204, 404, 401],
  ['DELETE /labels/<urgent>', 403, 403, 204, 404, 401],
  ['DELETE /tasks/<Paint the hull>', 403, 403, 204, 404, 401],
  ['DELETE /projects/<Rocket>', 403, 403, 204, 404, 401],
  ['DELETE /memberships/<Vera>', 403, 403, 204, 404, 401],
]

test('each caller of the tracker sees and does what the table says, on every route', async () => {
  await using world = await openTracker()
  for (const [request, ...outcomes] of table.flatMap(withSameOutcome)) {
    for (const [at, caller] of callers.entries()) {
      const expected = outcomes[at]
      assert.deepEqual(await world.observe(caller, request, expected), expected, `${caller}: ${request}`)
    }
  }
})

/** The line, and the lines of HEAD and QUERY with the same outcome. */
function withSameOutcome([request, ...outcomes]: Line): readonly Line[] {
  if (!request.startsWith('GET ')) return [[request, ...outcomes]]
  const target = request.slice('GET '.length)
  const lists = outcomes.some((outcome) => typeof outcome !== 'number')
  const statuses = outcomes.map((outcome) => (typeof outcome === 'number' ? outcome : 200))
  const query: readonly Line[] = lists ? [[`QUERY ${target} {}`, ...outcomes]] : []
  return [[request, ...outcomes], [`HEAD ${target}`, ...statuses], ...query]
}

test('the table has every route and method of the tracker', () => {
  const model = checkDefinition(definition)
  const capabilities = createCapabilities(['basic'], documentsFor(model))
  const { paths } = createOpenApi({ model, audience: 'everyone', capabilities }) as {
    readonly paths: Readonly<Record<string, object>>
  }
  const names = [...model.resources.keys()].filter((name) => name !== 'tokens')
  const offered = Object.entries(paths).flatMap(([path, methods]) =>
    ['get', 'head', 'x-query', 'post', 'put', 'patch', 'delete'].flatMap((method) => {
      // Links, groups and pages of changes have the rights of their list or item.
      const isOther = path.includes('/-/') || !names.includes(path.split('/')[1] ?? '')
      const known = method in methods && !isOther
      return known ? [`${method.replace('x-', '').toUpperCase()} ${path}`] : []
    }),
  )
  const tested = table.flatMap(withSameOutcome).map(([request]) =>
    request
      .replace(/ \{.*/, '')
      .replace(/^(\S+ \/[^/]+\/)[^/]+/, '$1{id}')
      .replace(/^(\S+ (?:\/[^/]+){3}\/)[^/]+/, '$1{element}')
      .replace('/history/{element}', '/history/{version}')
      .replace('/attachments/{element}', '/attachments/{file}'),
  )
  assert.deepEqual(
    offered.filter((route) => !tested.includes(route)),
    [],
  )
})

interface Tracker extends AsyncDisposable {
  /** The status; the labels of the items where a list is expected. */
  observe(caller: Caller, request: string, expected: Outcome | undefined): Promise<Outcome>
}

/** The service with its sample, in which everyone has the same password. */
async function openTracker(): Promise<Tracker> {
  const model = checkDefinition(definition)
  const store = await openTestStore(schemaOf(model))
  const users = sample.users.map((user) => ({ ...user, password }))
  await insertSample(model, store, { ...sample, users })
  const ids = await labelledIds(store, [...model.resources.values()])
  const labels = new Map([...ids].map(([label, id]) => [id, label]))
  const service = await createService({
    model,
    store,
    observe: (observation) => assert.notEqual(observation.kind, 'bug'),
    rate: 'off',
    overload: 'off',
    files: { url: undefined, database: 'file::memory:' },
  })
  const named = (text: string) => text.replace(/<([^>]*)>/g, (_, label) => ids.get(label) ?? `no ${label}`)
  return {
    async observe(caller, request, expected) {
      const login = logins[caller]
      const [line = '', content] = named(request).split(/ (?=\{)/)
      const body = content?.replace('CALLER', caller)
      const { status, text } = await handleDirectly(service, {
        line,
        fields: login === undefined ? {} : basic(login, password),
        ...(body === undefined ? {} : { body: JSON.parse(body) }),
      })
      if (status !== 200 || !Array.isArray(expected)) return status
      return JSON.parse(text)
        .map(({ id }: { id: string }) => labels.get(id) ?? id)
        .sort()
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** The ids of all rows by label: the values of their first two fields that name them. */
async function labelledIds(store: Store, resources: readonly ResourceModel[]) {
  const ids = new Map<string, string>()
  for (const { name, fieldByName: field, keyField: key } of resources) {
    const naming = ['email', 'slug', 'name', 'title', 'text', 'day', 'hours'].flatMap(
      (one) => field.get(one) ?? [],
    )
    const shown = naming.some((one) => one.name === 'day') ? naming : naming.slice(0, 1)
    const order = [{ column: '_identity', descending: false }]
    const rows = await store.list({
      table: name,
      condition: { kind: 'always' },
      order,
      after: undefined,
      limit: 100,
      evaluated: [],
    })
    for (const row of rows) {
      const label = shown.map((one) => one.decode(row[one.index] as Exclude<Stored, null>)).join(' ')
      ids.set(label, String(row[key?.index ?? 0]))
    }
  }
  return ids
}
