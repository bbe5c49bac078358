/**
 * Three nodes on one database, killed one after another under load, with clients that go to
 * another node with the same Idempotency-Key: nothing acknowledged is lost, each key has one effect.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { postgres } from '../postgres.ts'
import { type Node, startNode } from '../reliability/node.ts'
import { asker } from '../service.ts'

const definition = 'test/reliability/fixtures/notes.ts'
const kills = cases(20)
const clients = 12

test(`${kills} kills of a node under load lose nothing, and each key has one effect`, async (t) => {
  const database = (await postgres()).freshUrl()
  const nodes = await Promise.all([1, 2, 3].map(() => startNode({ definition, database })))
  t.after(() => Promise.all(nodes.map(stopped)))
  const acknowledged = new Map<string, string>()
  let over = false
  let next = 0
  const client = async () => {
    while (!over) {
      const number = next++
      acknowledged.set(`note ${number}`, await created(nodes, number))
    }
  }
  const load = Array.from({ length: clients }, client)
  for (let kill = 0; kill < kills; kill += 1) {
    const at = kill % nodes.length
    const before = acknowledged.size
    while (acknowledged.size < before + 20) await turn()
    nodes[at] = await replaced(nodes[at] as Node, database)
  }
  over = true
  await Promise.all(load)
  const stored = await allNotes(nodes[0] as Node)
  t.diagnostic(`${acknowledged.size} acknowledged, ${stored.length} stored, ${kills} kills`)
  assert.equal(stored.length, acknowledged.size)
  assert.deepEqual(new Map(stored), acknowledged)
})

/** The id of the note, from whichever node answers; a node that is gone is passed over. */
async function created(nodes: readonly Node[], number: number): Promise<string> {
  const title = `note ${number}`
  for (let attempt = number; ; attempt += 1) {
    const { port } = nodes[attempt % nodes.length] as Node
    try {
      const reply = await asker(port)('POST /notes', { 'idempotency-key': `"${title}"` }, { title })
      if (reply.status === 201) return reply.json.id
      assert.ok(reply.status === 409 || reply.status === 503, reply.text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
    }
    await turn()
  }
}

async function replaced({ process, port }: Node, database: string): Promise<Node> {
  const died = once(process, 'exit')
  process.kill('SIGKILL')
  await died
  return startNode({ definition, database, port })
}

async function stopped({ process }: Node): Promise<void> {
  const exited = once(process, 'exit')
  process.kill('SIGTERM')
  await exited
}

async function allNotes({ port }: Node): Promise<[string, string][]> {
  const notes: [string, string][] = []
  let next: string | undefined = '/notes?limit=1000'
  while (next !== undefined) {
    const reply = await asker(port)(`GET ${next}`)
    for (const { title, id } of reply.json) notes.push([title, id])
    next = /<([^>]*)>; rel="next"/.exec(String(reply.fields.link))?.[1]
  }
  return notes
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
