/**
 * Compares lists at 1,000,000 rows with the same lists at 1,000 rows in one run.
 * `node --conditions=source bench/lists.ts [rows]`
 */

import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { anyone, choice, integer, list, ref, resource, service, text } from 'restwell'
import type { Stored } from '../src/definition/model.ts'
import type { HttpRequest } from '../src/http/message.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { createService, type RunningService } from '../src/service/service.ts'
import { always } from '../src/store/condition.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite.ts'

const few = 1000
const many = Number(process.argv[2] ?? 1_000_000)
/** Both sizes have the same number of matches. */
const matches = 100
const time = '2026-01-01T00:00:00.000Z'

const access = { read: anyone, create: anyone }
const definition = service({
  title: 'Bench',
  resources: {
    people: resource({ name: text({ max: 50 }) }, { access, index: ['name'] }),
    things: resource(
      {
        name: text({ max: 50 }),
        group: text({ max: 20 }),
        kind: choice(['a', 'b']),
        size: integer(),
        tags: list(text({ max: 20 })),
        owner: ref('people'),
      },
      { access, index: ['group', ['kind', 'size']] },
    ),
  },
})

interface Filled {
  readonly service: RunningService
  readonly rows: number
  readonly person: string
}

function idOf(prefix: string, n: number): string {
  const digits = n.toString(16).padStart(12, '0')
  return `01900000-0000-7000-8000-${prefix}${digits.slice(1)}`
}

async function fill(rows: number): Promise<Filled> {
  const model = checkDefinition(definition)
  const store = await openSqliteStore({
    temporary: true,
    schema: schemaOf(model),
    observe: () => {},
  })
  const groups = rows / matches
  const insert = (table: string, values: readonly Stored[]) =>
    ({ kind: 'insert', table, values, conditionAfter: always }) as const
  for (let made = 0; made < rows; made += 5000) {
    const numbers = Array.from({ length: Math.min(5000, rows - made) }, (_, n) => made + n)
    const people = numbers
      .filter((n) => n % matches === 0)
      .map((n) => insert('people', [idOf('a', n / matches), 1, time, time, `person ${n / matches}`]))
    const things = numbers.map((n) => {
      const group = n % groups
      const fields = [`thing ${n}`, `group ${group}`, n % 2 ? 'a' : 'b', n, '["x","y"]']
      return insert('things', [idOf('b', n), 1, time, time, ...fields, idOf('a', Math.floor(n / matches))])
    })
    await store.write([...people, ...things])
  }
  return {
    service: await createService({ model, store, observe: () => {}, rate: 'off', overload: 'off' }),
    rows,
    person: idOf('a', Math.floor(groups / 2)),
  }
}

function requestOf(target: string): HttpRequest {
  return {
    id: 'bench',
    method: 'GET',
    target,
    fields: {},
    content: { present: false, length: 0, read: async () => new Uint8Array(), stream: async function* () {} },
    client: { address: '127.0.0.1', secure: false },
  }
}

async function linkOf({ service: { handle } }: Filled, target: string, rel: string) {
  const { fields } = await handle(requestOf(target))
  return new RegExp(`<([^>]*)>; rel="${rel}"`).exec(String(fields.Link))?.[1] ?? target
}

/** Returns a cursor deep in the list: a filter by id, then the `next` link. */
async function deepTarget(filled: Filled): Promise<string> {
  const { handle } = filled.service
  let target = '/things?limit=1000'
  for (let seen = 0; seen < filled.rows * 0.9; seen += 1000) {
    const { fields } = await handle(requestOf(target))
    target = /<([^>]*)>; rel="next"/.exec(String(fields.Link))?.[1] ?? target
  }
  return target.replace('limit=1000', 'limit=50')
}

const questions: Readonly<Record<string, (filled: Filled) => Promise<string>>> = {
  'first page': async () => '/things?limit=50',
  'page at depth 90 %': async (filled) =>
    filled.rows > few ? deepTarget(filled) : linkOf(filled, '/things?limit=50', 'next'),
  'by an indexed field': async ({ rows }) => `/things?group=group+${Math.floor(rows / matches / 2)}`,
  'by reference': async ({ person }) => `/things?owner=${person}`,
  'through reference': async ({ rows }) => `/things?owner.name=person+${Math.floor(rows / matches / 2)}`,
  'in a declared order': async () => '/things?kind=a&sort=size',
  embedding: async () => '/things?embed=owner',
}

/** Returns the microseconds of one request, the minimum of several rounds. */
async function cost({ service: { handle } }: Filled, target: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 12; round += 1) {
    const began = performance.now()
    for (let n = 0; n < 100; n += 1) {
      const { status } = await handle(requestOf(target))
      if (status !== 200) throw new Error(`${target}: ${status}`)
    }
    least = Math.min(least, performance.now() - began)
  }
  return least * 10
}

/** Returns the longest event-loop delay under expensive requests, in milliseconds. */
async function longestHold({ service: { handle } }: Filled): Promise<number> {
  const hostile = [
    '/things?name[contains]=nothing',
    '/things?tags[has]=none',
    '/things?sort=-name',
    '/things?size[gt]=-1&sort=name,-size',
    '/things?owner.name[contains]=none',
    `/things?${Array(1000).fill('size=1').join('&')}`,
    `/things?name[contains]=${'x'.repeat(1000)}`,
  ]
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  for (let round = 0; round < 3; round += 1) {
    for (const target of hostile) {
      await handle(requestOf(target))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  delay.disable()
  return delay.max / 1e6
}

/** Anonymous memory of the process in MiB, without mapped pages of the file. */
function ownMemory(): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

/** Returns the growth of that memory after reading all pages of the collection. */
async function growth(filled: Filled): Promise<number> {
  const before = ownMemory()
  await deepTarget(filled)
  return ownMemory() - before
}

const small = await fill(few)
const large = await fill(many)
for (const [name, targetOf] of Object.entries(questions)) {
  const one = await cost(small, await targetOf(small))
  const other = await cost(large, await targetOf(large))
  const costs = `${one.toFixed(0)} µs at ${few}, ${other.toFixed(0)} µs at ${many}`
  console.log(`${name.padEnd(22)} ${costs}: ${(other / one).toFixed(2)}`)
}
console.log(`hostile lists hold the loop at most ${(await longestHold(large)).toFixed(1)} ms`)
const grown = [await growth(large), await growth(large)].map((one) => one.toFixed(0))
console.log(`walking ${many} rows twice adds ${grown.join(' and ')} MiB of memory`)
await small.service.close()
await large.service.close()
