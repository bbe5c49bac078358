/**
 * The cost fuzzer: under the default limits no request exceeds the budget of function calls, loaded
 * characters and sent octets. The time that the event loop is blocked is second evidence.
 */

import assert from 'node:assert/strict'
import { after, before, it, type TestContext } from 'node:test'
import {
  action,
  anyone,
  email,
  env,
  file,
  hmac,
  integer,
  items,
  json,
  list,
  number,
  password,
  query,
  ref,
  resource,
  route,
  service,
  signedIn,
  stripe,
  text,
} from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { definition } from '../access/sample.ts'
import { cases, partOf } from '../cases.ts'
import { onPostgres } from '../database.ts'
import { type Handling, handling } from '../handling.ts'
import { admin, adminPassword } from '../service.ts'
import { CallCounter, type Calls } from './calls.ts'
import { featureRequests, hookSecret } from './feature-requests.ts'
import { measureHold, processorTime } from './hold.ts'
import {
  askRequests,
  type CostlyRequest,
  contentRequests,
  invitationRequests,
  listRequests,
  queryRequests,
} from './requests.ts'

/** The most calls of a single function for one request, by where the function is. */
const mostCalls = [
  // Called for each octet of the content at most.
  {
    part: 'scanners',
    path: /-(?:scan|limits)\.ts |\/escaper\.ts | (?:endOfLine|trimmed)$|\/node_modules\/|^ /,
    most: 1_050_000,
  },
  { part: 'filters', path: /\/src\/query\//, most: 5_000 },
  // Called for each value, cell, name or fault at most.
  { part: 'others', path: /\/src\//, most: 120_000 },
] as const
/** Sign-ins and changes that one caller may have waiting: 20 and 10, with two hashes for a change. */
const mostHashes = 40
const mostLoaded = 40_000_000
const mostSent = 4_200_000
/** Milliseconds. A machine that others use takes up to three times as long as a quiet one. */
const goal = 50
const longestHold = 3 * goal

const open = { read: anyone, create: anyone, update: anyone }
const body = text({ max: 1_000_000 })
const author = ref('authors')

/** It takes quadratic time to match `aaa…!`. */
const slowPattern = 'a*b|!'

function definitionWith(max: number) {
  const pattern = { pattern: slowPattern, maxLength: max }
  const things = {
    queries: {
      sorted: query({
        on: 'collection',
        by: anyone,
        input: { words: list(text()).optional(), data: json().optional() },
        result: { words: list(text()) },
        run: ({ words = [] }) => ({ words: words.toSorted() }),
      }),
      file: query({
        on: 'collection',
        by: anyone,
        input: { octets: integer({ min: 0, max: 4_000_000 }) },
        result: file({ types: ['text/plain'], max: '4 MB' }),
        run: ({ octets }) => new Blob(['x'.repeat(octets)], { type: 'text/plain' }),
      }),
      counted: query({
        on: 'collection',
        by: anyone,
        input: { lines: list({ name: text(), parts: list({ words: list(text()) }) }) },
        result: { lines: list({ name: text(), parts: list({ words: list(text()) }) }) },
        run: ({ lines }) => ({ lines }),
      }),
    },
    actions: {
      returned: action({
        on: 'collection',
        by: anyone,
        input: { lines: list({ name: text(), parts: list({ words: list(text()) }) }) },
        result: { lines: list({ name: text(), parts: list({ words: list(text()) }) }) },
        run: ({ lines }) => ({ lines }),
      }),
    },
  }
  const options = {
    title: 'Costs',
    accounts: { resource: 'people', login: 'email', password: 'password' } as const,
    mail: { from: 'service@example.org' },
    signIn: { links: true },
    invitations: { by: signedIn, record: 'badges.person' } as const,
    resources: {
      people: resource({ email: email().unique(), password: password() }, { access: { read: signedIn } }),
      badges: resource(
        { person: ref('people'), name: text().optional(), tags: list(text()).optional() },
        { access: { read: anyone, create: signedIn } },
      ),
      authors: resource({ bio: body }, { access: open }),
      letters: resource({ body, author }, { access: open }),
      marks: resource({ body, author, mark: number().optional() }, { access: open }),
      pictures: resource(
        { name: text().optional(), image: file({ types: ['image/*'], max: '1 MB' }).optional() },
        { access: open },
      ),
      things: resource(
        {
          name: text().optional(),
          number: integer().optional(),
          tags: list(text()).optional(),
          data: json().optional(),
          judged: json({
            type: 'array',
            uniqueItems: true,
            items: { type: 'object', required: ['a', 'b', 'c', 'd'] },
          }).optional(),
          slow: text({ pattern: slowPattern, max }).optional(),
          slowData: json({ anyOf: [pattern, { items: pattern }] }).optional(),
          unique: json({ uniqueItems: true }).optional(),
        },
        { access: open, bulk: true, nested: ['parts'] },
      ),
      parts: resource(
        { name: text().optional(), thing: ref('things', { inverse: 'parts', onDelete: 'cascade' }) },
        { access: open },
      ),
    },
  }
  const once = ({ id }: { readonly id: string }) => id
  return service(options, {
    '/': {
      routes: {
        '/hooks/stripe': route({
          methods: ['POST'],
          verify: stripe(env('HOOK_SECRET')),
          once,
          run: (_, { event }) => new Response(event.type),
        }),
        '/hooks/own': route({
          methods: ['POST'],
          verify: hmac({ secret: env('HOOK_SECRET'), header: 'X-Signature', id: 'X-Id' }),
          once,
          run: () => new Response(null, { status: 204 }),
        }),
        '/echo': route({
          methods: ['GET', 'POST'],
          by: anyone,
          async run(request) {
            const octets = Number(new URL(request.url).searchParams.get('octets') ?? 0)
            return new Response(octets > 0 ? 'x'.repeat(octets) : await request.text())
          },
        }),
      },
    },
    things,
    letters: {
      queries: {
        latest: query({
          on: 'collection',
          by: anyone,
          input: { most: integer({ min: 1, max: 1000 }) },
          result: items('letters'),
          run: async ({ most }, { letters }) => (await letters.list({ limit: 80 })).slice(0, most),
        }),
      },
    },
  })
}

/** The longest texts under a slow pattern that a definition may have. */
const longest = [20_000, 1000].find((max) => {
  try {
    checkDefinition(definitionWith(max))
    return true
  } catch {
    return false
  }
}) as number

let s: Handling
let thing: string

before(async () => {
  s = await handling(definitionWith(longest), { variables: { HOOK_SECRET: hookSecret } })
  const bio = 'é&"'.repeat(150_000)
  const { json: writer } = await s.handle('POST /authors', {}, { bio })
  for (const collection of ['letters', 'marks']) {
    for (let made = 0; made < 150; made += 1) {
      await s.handle(`POST /${collection}`, {}, { body: '&"x'.repeat(15_000), author: writer.id })
    }
  }
  thing = (await s.handle('POST /things', {}, { data: [], tags: ['a'] })).json.id
})
after(() => s[Symbol.asyncDispose]())

function* valueRequests(): Generator<CostlyRequest> {
  const values: readonly [string, object][] = [
    ['a text under a slow pattern', { slow: `${'a'.repeat(longest)}!` }],
    ['a value under a slow pattern', { slowData: `${'a'.repeat(longest)}!` }],
    ['texts under a slow pattern', { slowData: Array(1000).fill(`${'a'.repeat(999)}!`) }],
    ['unique objects', { unique: Array.from({ length: 9000 }, (_, at) => ({ at })) }],
  ]
  for (const [name, value] of values) {
    yield { name, line: 'POST /things', fields: {}, body: JSON.stringify(value) }
  }
}

const kinds = {
  content: contentRequests,
  queries: queryRequests,
  asked: askRequests,
  values: valueRequests,
  lists: listRequests,
  invitations: () => invitationRequests(admin),
  features: featureRequests,
}

const skip = onPostgres && 'The budget is for SQLite, whose driver runs in this process.'

for (const [kind, requests] of Object.entries(kinds)) {
  it(`${kind}: no request costs more than the budget`, { skip }, async (t) => {
    const counted = await countEach(partOf(requests(), 5))
    report(t, counted)
    const held = await holdEach(counted.slowest)
    t.diagnostic(`longest hold: ${held.longest.toFixed(1)} ms, ${held.name}`)
    assert.deepEqual([...counted.excesses, ...held.excesses], [])
  })
}

interface Counted {
  readonly excesses: readonly string[]
  /** Those that took the most processor time, of which the holds are measured. */
  readonly slowest: readonly CostlyRequest[]
  /** The greatest counts, by part. */
  readonly greatest: ReadonlyMap<string, Calls>
}

async function countEach(requests: Iterable<CostlyRequest>): Promise<Counted> {
  const excesses: string[] = []
  const greatest = new Map<string, Calls>()
  const times: { readonly request: CostlyRequest; readonly time: number }[] = []
  await using counter = await CallCounter.start()
  for (const request of requests) {
    const began = processorTime()
    const sent = await send(request)
    times.push({ request, time: processorTime() - began })
    if (sent > mostSent) excesses.push(`${request.name}: ${sent} octets sent`)
    for (const { name, count } of await counter.take()) {
      const budget = mostCalls.find(({ path }) => path.test(name))
      if (!budget || count <= (greatest.get(budget.part)?.count ?? 0)) continue
      greatest.set(budget.part, { name: `${request.name}: ${name}`, count })
      if (count > budget.most) excesses.push(`${request.name}: ${count} calls of ${name}`)
    }
  }
  const slowest = times.sort((one, other) => other.time - one.time).slice(0, cases(200, 20))
  return { excesses, greatest, slowest: slowest.map(({ request }) => request) }
}

function report(t: TestContext, { greatest }: Counted): void {
  for (const [part, { name, count }] of greatest) t.diagnostic(`${part}: ${count} calls, ${name}`)
}

/** Octets of the response. */
async function send({ name, line, fields, body }: CostlyRequest): Promise<number> {
  const answer = await s.handle(line.replace('{id}', thing), fields, body)
  assert.notEqual(answer.status, 500, name)
  return Buffer.byteLength(answer.text)
}

async function holdEach(requests: Iterable<CostlyRequest>) {
  const excesses: string[] = []
  let longest = { name: '', longest: 0 }
  for (const request of requests) {
    const { name } = request
    const { longest: hold, loaded } = await bestHold(request)
    if (hold > longest.longest) longest = { name, longest: hold }
    if (hold > longestHold) excesses.push(`${name}: held the loop for ${hold} ms`)
    if (loaded > mostLoaded) excesses.push(`${name}: ${loaded} octets loaded`)
  }
  return { ...longest, excesses }
}

/** Best of three. */
async function bestHold(request: CostlyRequest) {
  let best = await measureHold(() => send(request))
  for (let time = 1; time < 3 && best.longest > goal; time += 1) {
    const next = await measureHold(() => send(request))
    if (next.longest < best.longest) best = next
  }
  return best
}

it('passwords: 100 requests of one caller at once make few hashes', async () => {
  await using s = await handling(definition)
  const { id } = (await s.handle('GET /users', admin)).json[0]
  await using counter = await CallCounter.start()
  const change = { password: adminPassword, currentPassword: adminPassword }
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => s.handle(`PATCH /users/${id}`, admin, change)),
  )
  assert.ok(answers.some(({ status }) => status === 429))
  const hashes = (await counter.take()).find(({ name }) => /password\.ts deriveTag$/.test(name))
  assert.ok(hashes && hashes.count <= mostHashes, `${hashes?.count} hashes`)
})
