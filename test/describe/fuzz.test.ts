/**
 * A client that knows only the OpenAPI document: every response is declared, a valid request is
 * never refused for its form, and an invalid one never succeeds.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ValidateFunction } from 'ajv'
import fc from 'fast-check'
import { cases } from '../cases.ts'
import { admin, type Reply, serve, type TestService } from '../service.ts'
import { type Content, isMakeable, makeContent } from './content-maker.ts'
import { everything } from './everything.ts'
import { type Json, type Random, resolve, satisfying, validatorsOf } from './request-maker.ts'

interface Call {
  readonly path: string
  readonly method: string
  readonly operation: Json
  /** The parameters of the path and of the operation. */
  readonly parameters: readonly Json[]
}

test('every response is declared; invalid never succeeds; valid is never refused for its form', async () => {
  await using service = await serve(everything)
  const { json: document } = await service.request('GET /openapi.json', admin)
  const fuzzer = new Fuzzer(service, document)
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.log(`seed ${seed}`)
  const property = fc.asyncProperty(fc.gen(), (g) => fuzzer.send(g))
  await fc.assert(property, { numRuns: cases(20_000, 80), seed, endOnFailure: true })
  console.log(fuzzer.summary())
  assert.ok(fuzzer.count(2) > 0 && fuzzer.count(4) > 0)
  // A part of the requests may by chance have too few of one type.
  if (cases(10) === 10) assert.deepEqual(fuzzer.onesided(), [])
  assert.deepEqual(
    service.observations.filter(({ kind }) => kind === 'bug'),
    [],
  )
})

/** Fields of the message, not of the resource. */
const wireFields = new Set(
  'connection content-encoding content-length content-type date keep-alive transfer-encoding'.split(' '),
)

/** Refusals for the form of a request, not for the state of items. */
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
  /** The ids in responses, by the path of the item. */
  readonly #ids = new Map<string, string[]>()
  readonly #statuses = new Map<number, number>()
  /** The classes of statuses that each media type of content received. */
  readonly #sent = new Map<string, Set<number>>()

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

  /** Media types of content that never succeeded, or never were refused. */
  onesided(): readonly string[] {
    return [...this.#sent].filter(([, kinds]) => kinds.size < 2).map(([type]) => type)
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
    else if (g(fc.integer, { min: 0, max: 3 }) === 0) fields.accept = acceptable(this.#document, call, g)
    const line = `${call.method} ${target.uri}`
    const reply = await this.#service.request(line, fields, body?.text)
    const description = `${line} ${JSON.stringify(fields)} ${body?.text ?? ''} → ${reply.status} ${reply.text.slice(0, 1000)}`
    this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1)
    this.#judge(call, reply, description)
    const type = fields['content-type']
    if (type !== undefined && type !== 'application/nothing') this.#note(type, reply.status)
    const invalid = target.spoilt || body?.spoilt
    if (invalid) assert.ok(reply.status >= 300, `invalid succeeded: ${description}`)
    const sound = !invalid && spoil !== 'accept'
    if (sound) this.#allowForm(reply, description, body?.exact !== false)
    this.#remember(call, reply)
  }

  #note(type: string, status: number): void {
    const kinds = this.#sent.get(type) ?? new Set()
    this.#sent.set(type, kinds.add(status < 300 ? 2 : 4))
  }

  #target(call: Call, g: Random, fields: Record<string, string>, spoil: boolean) {
    const query = new URLSearchParams()
    let uri = call.path
    for (const parameter of call.parameters) {
      if (parameter.in === 'path') uri = uri.replace(`{${parameter.name}}`, this.#id(call, parameter, g))
      // A list accepts 20 filters, which a document can state only in prose.
      else if (parameter.required || (query.size < 20 && g(fc.integer, { min: 0, max: 25 }) === 0)) {
        if (parameter.style === 'deepObject') query.append(...this.#filter(parameter, g))
        else {
          const value = this.#parameterValue(parameter, g)
          if (parameter.in === 'header') fields[parameter.name.toLowerCase()] = inAscii(value)
          else query.append(parameter.name, value)
        }
      }
    }
    if (query.has('after')) query.delete('before')
    // The order names groups and aggregates of the same request.
    if (query.has('aggregate')) query.delete('sort')
    // A name that one method declares may be a filter of none.
    const spoilt = spoil && call.method !== 'OPTIONS'
    if (spoilt) query.append('noSuchParameter', '1')
    return { uri: query.size > 0 ? `${uri}?${query}` : uri, spoilt }
  }

  /** A filter by one of the operators; without one, it is by `eq`. */
  #filter({ name, schema }: Json, g: Random): [string, string] {
    const { properties } = resolve(this.#document, schema)
    const operator = g(fc.constantFrom, ...Object.keys(properties)) as string
    const operand = operator === 'in' ? properties.eq : properties[operator]
    const value = String(satisfying(this.#document, operand, g)).replaceAll(',', '\\,')
    const plain = operator === 'eq' && g(fc.boolean)
    return [plain ? name : `${name}[${operator}]`, operator === 'in' ? value : value.replaceAll('\\,', ',')]
  }

  #parameterValue({ name, schema }: Json, g: Random): string {
    if (name === 'sort' || name === 'embed') return g(fc.constantFrom, ...termsIn(schema.items))
    if (name === 'q') return 'word'
    if (name === 'If-None-Match') return g(fc.constantFrom, '*', '"tag"', 'no tag')
    if (name === 'Prefer') return g(fc.constantFrom, 'count=exact', 'return=minimal')
    return [satisfying(this.#document, schema, g)].flat().join(',')
  }

  #id(call: Call, { schema }: Json, g: Random): string {
    const known = this.#ids.get(call.path) ?? []
    const fresh = known.length === 0 || g(fc.integer, { min: 0, max: 5 }) === 0
    return encodeURIComponent(fresh ? satisfying(this.#document, schema, g) : g(fc.constantFrom, ...known))
  }

  #body(call: Call, g: Random, fields: Record<string, string>, spoil: string): Content | undefined {
    const offered = call.operation.requestBody?.content ?? {}
    const types = Object.keys(offered).filter(isMakeable)
    if (types.length === 0) return undefined
    const type = g(fc.constantFrom, ...types)
    fields['content-type'] = spoil === 'type' ? 'application/nothing' : type
    const name = call.path.split('/')[1] ?? ''
    const { method } = call
    const [document, validate] = [this.#document, this.#validate]
    const making = { document, validate, name, method, offered, g }
    const content = makeContent(making, type, spoil === 'body')
    return { ...content, spoilt: spoil === 'type' || content.spoilt }
  }

  #judge({ path, operation, method }: Call, reply: Reply, description: string): void {
    const { responses } = operation
    const declared = resolve(this.#document, responses[reply.status] ?? responses.default)
    // Other media types are those of problems.
    assert.ok(responses[reply.status] || reply.status >= 400, `status not declared: ${description}`)
    const common = {
      ...this.#document['x-every-response'].headers,
      ...this.#document.paths[path]['x-every-response']?.headers,
    }
    const known = Object.keys({ ...declared.headers, ...common })
    const names = new Set(known.map((name) => name.toLowerCase()))
    const unknown = Object.keys(reply.fields).filter((name) => !names.has(name) && !wireFields.has(name))
    assert.deepEqual(unknown, [], `fields not declared: ${description}`)
    if (reply.text === '') return
    assert.notEqual(method, 'HEAD')
    // A description names media types; the charset of a page is no part of it.
    const type = String(reply.fields['content-type']).replace(/^(text\/html);.*/, '$1')
    const content = declared.content?.[type]
    assert.ok(content, `media type ${type} not declared: ${description}`)
    if (!/[/+]json$/.test(type)) return
    const validate = this.#validate(content.schema)
    assert.ok(
      validate(reply.json),
      `body not as declared: ${JSON.stringify(validate.errors?.slice(0, 3))} ${description}`,
    )
  }

  #allowForm(reply: Reply, description: string, exact: boolean): void {
    if (reply.status < 400 || reply.text === '') return
    if (!/json$/.test(String(reply.fields['content-type']))) return
    const { type, errors = [] } = reply.json
    // A sum may exceed the range of numbers, whatever its form.
    if (/whose value exceeds/.test(reply.json.detail)) return
    assert.ok(!formProblems.has(type), `valid was refused: ${description}`)
    if (exact && type === '/problems/invalid-content') {
      // Faults that a schema cannot express: a dangling reference, too many filters, requests of a batch that do not fit.
      const beyond = new Set('reference scope conditions depth const assertion binding unique'.split(' '))
      assert.deepEqual(
        errors.filter(({ rule }: Json) => !beyond.has(rule)),
        [],
        `valid was refused: ${description}`,
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

/** Encodes characters that no field value can contain. */
function inAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, encodeURIComponent)
}

/** One of the declared media types of the response; problems stay JSON. */
function acceptable(document: Json, { operation }: Call, g: Random): string {
  const shown = Object.entries<Json>(operation.responses).flatMap(([status, response]) =>
    status.startsWith('2') ? Object.keys(resolve(document, response).content ?? {}) : [],
  )
  // A stream of events does not end.
  const ending = shown.filter((one) => one !== 'text/event-stream')
  const type = g(fc.constantFrom, '*/*', ...ending)
  return type.endsWith('json') ? type : `${type}, application/problem+json;q=0.9`
}

/** Operations with content are chosen more often, because they have more cases. */
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

/** The terms of a parameter: a pattern has the names of fields and relations in its first group, and matches paths too. */
function termsIn({ enum: listed, pattern }: Json): readonly string[] {
  if (listed) return listed
  const [, names = 'count'] = /\(\?:([A-Za-z0-9|]+)\)/.exec(pattern) ?? []
  return names.split('|')
}
