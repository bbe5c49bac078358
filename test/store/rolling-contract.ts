/** Nodes with two definitions on one database: `rollingContract('SQLite', freshUrl, 'in turns')`. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { AnyDefinition } from '../../src/definition/service-definition.ts'
import { type OpenService, openService, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { canApply } from '../../src/store/schema/migration-plan.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import type { Column, Schema } from '../../src/store/schema/table-schema.ts'
import { StoreOpenError } from '../../src/store/store.ts'
import { cases, isFull, someOf } from '../cases.ts'
import { type Change, changes, definition, things, title } from './definition-changes.ts'
import { insert } from './library.ts'
import { columnsOf, type FreshUrl, rowsIn, valueFor, withStore } from './migration-contract.ts'
import { row, schema as schemaWith, table } from './tables.ts'

const schemaFor = (one: AnyDefinition): Schema => schemaOf(checkDefinition(one))

/** One node: it can be asked, stopped and started again. */
class Node {
  readonly definition: AnyDefinition
  readonly #database: string
  #service: OpenService | undefined

  constructor(of: AnyDefinition, database: string) {
    this.definition = of
    this.#database = database
  }

  async start(): Promise<void> {
    this.#service = await openService(this.definition, { database: this.#database, rate: 'off' })
  }

  async stop(): Promise<void> {
    await this.#service?.close()
    this.#service = undefined
  }

  async ask(method: string, path: string, body?: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    const content = body === undefined ? {} : { headers, body: JSON.stringify(body) }
    return this.#service!.handle(new Request(`http://localhost${path}`, { method, ...content }))
  }

  /** Creates an item, and returns what it shows of it. */
  async create(body: object): Promise<unknown> {
    const made = await this.ask('POST', '/things', body)
    assert.equal(made.status, 201, await made.clone().text())
    return made.json()
  }

  async list(): Promise<readonly { readonly id: string }[]> {
    const response = await this.ask('GET', '/things?limit=100')
    assert.equal(response.status, 200)
    return response.json() as Promise<{ id: string }[]>
  }

  async assertReady(): Promise<void> {
    const response = await this.ask('GET', '/health/ready')
    assert.equal(response.status, 200, await response.text())
  }
}

/** How often each node starts. */
const rounds = isFull ? 3 : 2

/** Two nodes on one PostgreSQL run side by side; one SQLite file has one node at a time. */
export type Manner = 'side by side' | 'in turns'

async function deployed(url: string, change: Change, order: 'old first' | 'new first', manner: Manner) {
  const [old, fresh] = [new Node(change.from, url), new Node(change.to, url)]
  const nodes = order === 'old first' ? [old, fresh] : [fresh, old]
  if (change.narrowing) {
    await old.start()
    await old.stop()
  }
  const made: [Node, unknown][] = []
  const running = new Set<Node>()
  try {
    // Each starts, and restarts, while the other runs or has run.
    for (const node of Array.from({ length: rounds }, () => nodes).flat()) {
      const leaving = manner === 'in turns' ? [...running] : running.has(node) ? [node] : []
      for (const one of leaving) await one.stop()
      for (const one of leaving) running.delete(one)
      await node.start()
      running.add(node)
      for (const one of running) {
        await one.assertReady()
        made.push([one, await one.create(one === old ? change.old : change.new)])
        assert.equal((await one.list()).length, made.length)
      }
    }
    for (const one of running) {
      const shown = await one.list()
      const own = made.filter(([by]) => by === one).map(([, item]) => item)
      for (const item of own) {
        const { id } = item as { id: string }
        assert.deepEqual(
          shown.find((found) => found.id === id),
          item,
          'nothing was lost',
        )
      }
    }
  } finally {
    for (const one of running) await one.stop()
  }
}

export function rollingContract(name: string, freshUrl: FreshUrl, manner: Manner): void {
  describe(`${name}: an old and a new definition ${manner}, with restarts`, () => {
    for (const [kind, change] of someOf(Object.entries(changes), 4)) {
      for (const order of someOf(['old first', 'new first'] as const, 1)) {
        it(`${kind}, ${order}: both start, create and lose nothing`, async () => {
          await deployed(await freshUrl(), change, order, manner)
        })
      }
    }

    it('an item that a new resource refers to is not deleted by a node that does not know it', async () => {
      const url = await freshUrl()
      const { from, to } = changes['a new resource that refers to an old one']!
      const [old, fresh] = [new Node(from, url), new Node(to, url)]
      await fresh.start()
      const { id } = (await fresh.create({ title: 'a' })) as { id: string }
      assert.equal((await fresh.ask('POST', '/others', { thing: id })).status, 201)
      await fresh.stop()
      await old.start()
      assert.equal((await old.ask('DELETE', `/things/${id}`)).status, 409)
      await old.stop()
    })

    it('whatever changes: a plan that a start takes leaves the former definition in service (random)', async () => {
      const property = fc.asyncProperty(columnsOf, columnsOf, async (from, to) => {
        await compatible(await freshUrl(), from, to)
      })
      await fc.assert(property, { numRuns: cases(40), seed: 20261116 })
    })

    const former = definition({ things: things({ title, note: text() }) })
    const renamed = definition({ things: things({ title, remark: text().formerly('note') }) })

    it('a change that is not safe is refused at a start, with the command that makes it', async () => {
      const url = await freshUrl()
      const old = new Node(former, url)
      await old.start()
      await old.create({ title: 'a', note: 'n' })
      await old.stop()
      await assert.rejects(new Node(renamed, url).start(), (fault) => {
        assert.ok(fault instanceof StoreOpenError)
        assert.match(fault.message, /apply {2}rename column things\.note to remark/)
        return fault.message.includes('`npx restwell migrate --apply`')
      })
      await old.start()
      assert.equal((await old.list()).length, 1)
      await old.stop()
    })

    it('a field that may have been renamed is refused at a start, with the word for it', async () => {
      const url = await freshUrl()
      const old = new Node(former, url)
      await old.start()
      await old.create({ title: 'a', note: 'n' })
      await old.stop()
      const unsaid = definition({ things: things({ title, remark: text().optional() }) })
      await assert.rejects(new Node(unsaid, url).start(), /say \.formerly\('note'\) on the field/)
    })

    if (manner === 'side by side') {
      it('/health/ready is 503 while the tables do not fit the definition', async () => {
        const url = await freshUrl()
        const old = new Node(former, url)
        await old.start()
        await old.assertReady()
        await migrate(url, schemaFor(renamed), 'safe')
        assert.equal((await old.ask('GET', '/health/ready')).status, 503)
        const fresh = new Node(renamed, url)
        await fresh.start()
        await fresh.assertReady()
        await migrate(
          url,
          schemaFor(definition({ things: things({ title, note: text().formerly('remark') }) })),
          'safe',
        )
        await old.assertReady()
        assert.equal((await fresh.ask('GET', '/health/ready')).status, 503)
        await old.stop()
        await fresh.stop()
      })
    }
  })
}

async function compatible(url: string, from: readonly Column[], to: readonly Column[]) {
  const [before, after] = [from, to].map((columns) => schemaWith(table('things', columns)))
  const filledRow = (id: string, columns: readonly Column[]) =>
    row(id, ...columns.map((one) => valueFor(one, 1)))
  await withStore(url, before!, (store) => store.write([insert('things', filledRow('t1', from))]))
  if (!canApply(await planMigration(url, after!), 'start')) return
  const turns = [after!, before!, after!]
  for (const [turn, of] of turns.entries()) {
    const store = await openStore(url, of, () => undefined)
    try {
      await store.check()
      const columns = of === before ? from : to
      const made = await store.write([insert('things', filledRow(`u${turn}`, columns))])
      assert.deepEqual(made, { kind: 'done' })
      assert.equal((await rowsIn(store, 'things')).length, turn + 2)
    } finally {
      await store.close()
    }
  }
}
