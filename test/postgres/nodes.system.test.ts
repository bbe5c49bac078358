/** Several nodes on one database at once: what one acknowledges, all know. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeLogEntry } from '../../src/store/change-log.ts'
import { always } from '../../src/store/condition.ts'
import { openPostgresStore } from '../../src/store/postgres/open-postgres.ts'
import type { Store } from '../../src/store/store.ts'
import { cases } from '../cases.ts'
import { eventually } from '../eventually.ts'
import { postgres } from '../postgres.ts'
import { insert } from '../store/library.ts'
import { ref, row, schema, table, text } from '../store/tables.ts'

const things = schema(
  table('things', [text('name', { unique: true })]),
  table('parts', [ref('of', 'things', 'cascade')]),
)

async function withNodes(count: number, work: (nodes: Store[]) => Promise<void>): Promise<void> {
  const url = (await postgres()).freshUrl()
  const open = () => openPostgresStore({ url, schema: things, observe: () => undefined })
  const nodes = await Promise.all(Array.from({ length: count }, open))
  try {
    await work(nodes)
  } finally {
    await Promise.all(nodes.map((node) => node.close()))
  }
}

describe('several nodes', () => {
  it('may start on an empty database all at once', () =>
    withNodes(5, async (nodes) => {
      for (const node of nodes) assert.equal(await node.count('things', always), 0)
    }))

  it('see the writes of other nodes as soon as they are acknowledged', () =>
    withNodes(3, async (nodes) => {
      for (let n = 0; n < 30; n += 1) {
        await nodes[n % 3]?.write([insert('things', row(`t${n}`, `name ${n}`))])
        assert.equal(await nodes[(n + 1) % 3]?.count('things', always), n + 1)
      }
    }))

  it('have one secret for each name', () =>
    withNodes(3, async (nodes) => {
      const secrets = await Promise.all(nodes.map(async (node) => node.loadSecret('cursor')))
      assert.deepEqual(secrets[1], secrets[0])
      assert.deepEqual(secrets[2], secrets[0])
    }))

  it('of creates with the same unique name on all nodes one succeeds', () =>
    withNodes(3, async (nodes) => {
      const writes = nodes.flatMap((node, at) =>
        Array.from({ length: 10 }, (_, n) => node.write([insert('things', row(`t${at}-${n}`, 'one'))])),
      )
      const kinds = (await Promise.all(writes)).map(({ kind }) => kind)
      assert.equal(kinds.filter((kind) => kind === 'done').length, 1)
    }))

  it('run work with an exclusive lock on one node at a time', () =>
    withNodes(3, async (nodes) => {
      let inside = 0
      const work = async () => {
        inside += 1
        assert.equal(inside, 1)
        await nodes[0]?.count('things', always)
        inside -= 1
      }
      await Promise.all(nodes.map((node) => node.withExclusiveLock(work)))
    }))

  it('read each entry of the change log exactly once while others write', () =>
    withNodes(3, async (nodes) => {
      const [reader] = nodes as [Store, ...Store[]]
      const entries: ChangeLogEntry[] = []
      const each = cases(200)
      const writers = nodes.flatMap((node, at) => [
        writer(node, `a${at}`, each),
        writer(node, `b${at}`, each),
      ])
      const readMore = async () => {
        entries.push(...(await reader.readChanges(entries.at(-1)?.position ?? 0, 50)))
      }
      // A change has its position some time after its response.
      const read = eventually(async () => {
        await readMore()
        return entries.length >= 6 * each
      })
      await Promise.all([read, ...writers])
      await readMore()
      const positions = entries.map(({ position }) => position)
      assert.equal(new Set(positions).size, positions.length)
      const identities = new Set(entries.map(({ identity }) => identity))
      assert.equal(identities.size, 6 * each)
      assert.equal(entries.length, 6 * each)
    }))

  it('a new reference to a row that is being deleted is stored or refused', () =>
    withNodes(2, async ([one, two]) => {
      for (let n = 0; n < cases(100); n += 1) {
        await one?.write([insert('things', row(`t${n}`, `name ${n}`))])
        const removed = one?.write([
          { kind: 'delete', table: 'things', identity: `t${n}`, version: 1, conditionBefore: always, at: '' },
        ])
        const inserted = two?.write([insert('parts', row(`p${n}`, `t${n}`))])
        assert.equal((await removed)?.kind, 'done', 'a part is deleted with it')
        await inserted
        assert.equal(await one?.count('parts', always), 0)
      }
    }))
})

async function writer(node: Store, name: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const written = await node.write([insert('things', row(`${name}-${n}`, `${name}-${n}`))])
    assert.equal(written.kind, 'done')
  }
}
