/**
 * A client that knows nothing but the document: whatever it sends, the answer is one that the
 * document declares; what the document allows is never refused for its form, and what it does not
 * allow never succeeds.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ValidateFunction } from 'ajv'
import fc from 'fast-check'
import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  json,
  list,
  number,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  state,
  text,
  timestamp,
  url,
  uuid,
} from '../../src/index.ts'
import { cases } from '../cases.ts'
import { admin, type Reply, serve, type TestService } from '../service.ts'
import {
  type Json,
  type Random,
  resolve,
  satisfying,
  spoiltOf,
  validatorsOf,
} from './request-maker.ts'

const open = { read: anyone, create: signedIn, update: signedIn, delete: role('admin') }

const definition = service({
  title: 'Everything',
  accounts: { resource: 'people', login: 'email', password: 'password', roles: 'roles' },
  resources: {
    people: resource(
      {
        email: email().unique().visibleTo(role('admin')),
        password: password(),
        roles: list(choice(['admin', 'other'])).default([]),
      },
      { methods: ['GET', 'QUERY'], access: { read: anyone } },
    ),
    things: resource(
      {
        name: text({ min: 1, max: 20 }),
        code: text({ pattern: '^[A-Z]{2}[0-9]{1,4}$' }).optional(),
        mail: email().optional(),
        site: url().optional(),
        mark: uuid().optional(),
        size: integer({ min: -5, max: 5 }).default(0),
        weight: number({ min: 0, max: 10 }).optional(),
        price: decimal({ scale: 2, min: '0', max: '99.99' }).optional(),
        live: boolean().default(true),
        day: date().optional(),
        moment: timestamp().optional(),
        colour: choice(['red', 'green']).optional(),
        tags: list(text({ min: 1, max: 5 }), { max: 3, unique: true }).default([]),
        data: json().optional(),
        maker: ref('people').fromPrincipal(),
        stage: state({
          initial: 'new',
          transitions: { use: { from: 'new', to: 'used' }, mend: { from: 'used', to: 'new' } },
        }),
      },
      { access: open, search: ['name'], tombstones: true },
    ),
    books: resource(
      { isbn: text({ pattern: '^[0-9]{3,6}$', max: 6 }), title: text({ max: 30 }) },
      { access: open, key: 'isbn', put: 'create', cache: { maxAge: 5 } },
    ),
    parts: resource(
      { label: text({ max: 9 }), hidden: text().visibleTo(role('admin')).optional() },
      { access: open, conditional: 'required', bulk: true },
    ),
  },
})

interface Call {
  readonly path: string
  readonly method: string
  readonly operation: Json
  /** Those of the path and of the operation. */
  readonly parameters: readonly Json[]
}

test('every answer is declared; invalid never succeeds; valid is never refused for its form', async () => {
  await using service = await serve(definition)
  const { json: document } = await service.ask('GET /openapi.json', admin)
  const fuzzer = new Fuzzer(service, document)
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.log(`seed ${seed}`)
  const property = fc.asyncProperty(fc.gen(), (g) => fuzzer.send(g))
  await fc.assert(property, { numRuns: cases(20_000), seed, endOnFailure: true })
  console.log(fuzzer.summary())
  assert.ok(fuzzer.count(2) > 0 && fuzzer.count(4) > 0)
  assert.deepEqual(
    service.happenings.filter(({ kind }) => kind === 'bug'),
    [],
  )
})

/** What is added on the way, and says nothing of the resource. */
const wireFields = new Set(
  'connection content-encoding content-length content-type date keep-alive transfer-encoding'.split(
    ' ',
  ),
)

/** Refusals for the form of a request, as against those for what things are like. */
const formProblems = new Set(
  'malformed-request malformed-content unknown-parameter invalid-parameter not-acceptable unsupported-media-type unsupported-content-coding content-too-large'
    .split(' ')
    .map((name) => `/problems/${name}`),
)

class Fuzzer {
  readonly #service: TestService
  readonly #document: Json
  readonly #validate: (schema: Json) => ValidateFunction
  readonly #calls: readonly Call[]
  /** The ids seen, by the path of the item. */
  readonly #ids = new Map<string, string[]>()
  readonly #statuses = new Map<number, number>()

  constructor(service: TestService, document: Json) {
    this.#service = service
    this.#document = document
    this.#validate = validatorsOf(document)
    this.#calls = callsOf(document)
  }

  summary(): string {
    return [...this.#statuses]
      .sort()
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')
  }

  count(kind: number): number {
    const counts = [...this.#statuses].filter(([status]) => Math.floor(status / 100) === kind)
    return counts.reduce((sum, [, count]) => sum + count, 0)
  }

  async send(g: Random): Promise<void> {
    const call = g(fc.constantFrom, ...this.#calls)
    const spoil = g(fc.constantFrom, 'nothing', 'nothing', 'body', 'parameter', 'type', 'accept')
    const fields: Record<string, string> = { ...admin }
    const target = this.#target(call, g, fields, spoil === 'parameter')
    const body = this.#body(call, g, fields, spoil)
    if (spoil === 'accept') fields.accept = 'application/nothing'
    const line = `${call.method} ${target.uri}`
    const reply = await this.#service.ask(line, fields, body.content)
    const told = `${line} ${JSON.stringify(fields)} ${body.content ?? ''} → ${reply.status} ${reply.text.slice(0, 1000)}`
    this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1)
    this.#judge(call, reply, told)
    const invalid = target.spoilt || body.spoilt
    if (invalid) assert.ok(reply.status >= 300, `invalid succeeded: ${told}`)
    const sound = !invalid && spoil !== 'accept'
    if (sound) this.#allowForm(reply, told)
    this.#remember(call, reply)
  }

  #target(call: Call, g: Random, fields: Record<string, string>, spoil: boolean) {
    const query = new URLSearchParams()
    let uri = call.path
    for (const parameter of call.parameters) {
      if (parameter.in === 'path')
        uri = uri.replace(`{${parameter.name}}`, this.#id(call, parameter, g))
      else if (g(fc.integer, { min: 0, max: 25 }) === 0) {
        const value = this.#parameterValue(parameter, g)
        if (parameter.in === 'header') fields[parameter.name.toLowerCase()] = encodeURI(value)
        else query.append(parameter.name, value)
      }
    }
    if (query.has('after')) query.delete('before')
    // A name that is known for one method may be a filter for none.
    const spoilt = spoil && call.method !== 'OPTIONS'
    if (spoilt) query.append('noSuchParameter', '1')
    return { uri: query.size > 0 ? `${uri}?${query}` : uri, spoilt }
  }

  #parameterValue({ name, schema }: Json, g: Random): string {
    if (name === 'sort') return g(fc.constantFrom, ...schema.items.enum)
    if (name === 'q') return 'word'
    if (name === 'Prefer') return g(fc.constantFrom, 'count=exact', 'return=minimal')
    return [satisfying(this.#document, schema, g)].flat().join(',')
  }

  #id(call: Call, { schema }: Json, g: Random): string {
    const known = this.#ids.get(call.path) ?? []
    const fresh = known.length === 0 || g(fc.integer, { min: 0, max: 5 }) === 0
    return encodeURIComponent(
      fresh ? satisfying(this.#document, schema, g) : g(fc.constantFrom, ...known),
    )
  }

  #body({ operation }: Call, g: Random, fields: Record<string, string>, spoil: string) {
    const types = Object.entries<Json>(operation.requestBody?.content ?? {}).filter(
      ([type]) => /json$/.test(type) && !/json-patch|ndjson/.test(type),
    )
    if (types.length === 0) return { content: undefined, spoilt: false }
    const [type, { schema }] = g(fc.constantFrom, ...types)
    fields['content-type'] = spoil === 'type' ? 'application/nothing' : type
    const spoilt =
      spoil === 'body' ? spoiltOf(this.#document, schema, this.#validate, g) : undefined
    const value = spoilt ? spoilt.value : satisfying(this.#document, schema, g)
    return { content: JSON.stringify(value), spoilt: spoil === 'type' || spoilt !== undefined }
  }

  #judge({ operation, method }: Call, reply: Reply, told: string): void {
    const declared = resolve(this.#document, operation.responses[reply.status])
    assert.ok(declared, `status not declared: ${told}`)
    const names = new Set(Object.keys(declared.headers ?? {}).map((name) => name.toLowerCase()))
    const unknown = Object.keys(reply.fields).filter(
      (name) => !names.has(name) && !wireFields.has(name),
    )
    assert.deepEqual(unknown, [], `fields not declared: ${told}`)
    if (reply.text === '') return
    assert.notEqual(method, 'HEAD')
    // A description names media types; the charset of a page is no part of it.
    const type = String(reply.fields['content-type']).replace(/^(text\/html);.*/, '$1')
    const content = declared.content?.[type]
    assert.ok(content, `media type ${type} not declared: ${told}`)
    if (!/[/+]json$/.test(type)) return
    const validate = this.#validate(content.schema)
    assert.ok(
      validate(reply.json),
      `body not as declared: ${JSON.stringify(validate.errors?.slice(0, 3))} ${told}`,
    )
  }

  #allowForm(reply: Reply, told: string): void {
    if (reply.status < 400 || reply.text === '') return
    if (!/json$/.test(String(reply.fields['content-type']))) return
    const { type, errors = [] } = reply.json
    assert.ok(!formProblems.has(type), `valid was refused: ${told}`)
    if (type === '/problems/invalid-content') {
      // What a schema cannot know: whether what is referred to is there, and how a filter adds up.
      const beyond = new Set(['reference', 'scope', 'conditions', 'depth', 'const'])
      assert.deepEqual(
        errors.filter(({ rule }: Json) => !beyond.has(rule)),
        [],
        `valid was refused: ${told}`,
      )
    }
  }

  #remember({ path, method }: Call, reply: Reply): void {
    const location = reply.fields.location
    if (method !== 'POST' || reply.status !== 201 || location === undefined) return
    const ids = this.#ids.get(`${path}/{id}`) ?? []
    ids.push(decodeURIComponent(String(location).split('/').at(-1) ?? ''))
    if (ids.length > 30) ids.shift()
    this.#ids.set(`${path}/{id}`, ids)
  }
}

/** Those with content come up more often: there is more to them. */
function callsOf(document: Json): readonly Call[] {
  const calls = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([, operation]) => operation.operationId)
      .map(([key, operation]) => ({
        path,
        method: key.replace('x-', '').toUpperCase(),
        operation,
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
          resolve(document, one),
        ),
      })),
  )
  return calls.flatMap((call) => Array<Call>(call.operation.requestBody ? 6 : 1).fill(call))
}
