/** Processes that are killed with -9 between the commit and `after`, workers, and several nodes lose no hook. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { cases } from '../../cases.ts'
import { freshDatabase, onPostgres } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { type Node, startNode } from '../../reliability/node.ts'
import { clientOf, startWorkers } from '../../reliability/worker-service.ts'
import { createRequester, type SendRequest } from '../../service.ts'

const definition = 'test/features/logic/fixtures/recorded-notes.ts'
const kills = cases(500, 100)

describe('after hooks', () => {
  it(`run for every change, in order for its item, by ${kills} kills after a commit`, async (t) => {
    const place = await createPlace(t)
    let node: Node = await startNode({ definition, ...place })
    const titles = new Map<string, string[]>()
    for (let kill = 0; kill < kills; kill += 1) {
      const request = createRequester(node.port)
      await write(request, titles, kill)
      const died = once(node.process, 'exit')
      node.process.kill('SIGKILL')
      await died
      node = await startNode({ definition, ...place })
    }
    await requireAll(place.file, titles)
  })

  it('run once for each change of two workers', async (t) => {
    const place = await createPlace(t)
    const { port } = await startWorkers(t, {
      definition,
      ...(onPostgres && place.database !== undefined && { database: place.database }),
      environment: { HOOK_FILE: place.file },
    })
    const clients = [await clientOf(t, port), await clientOf(t, port)]
    const titles = new Map<string, string[]>()
    for (let turn = 0; turn < 6; turn += 1) await write(clients[turn % 2]!, titles, turn)
    const lines = await requireAll(place.file, titles)
    assert.equal(lines.length, 12)
  })

  const onSeveralNodes = onPostgres ? it : () => undefined
  onSeveralNodes('run for every change of two nodes; one takes over from the other', async (t) => {
    const place = await createPlace(t)
    const [one, two] = [await startNode({ definition, ...place }), await startNode({ definition, ...place })]
    const titles = new Map<string, string[]>()
    for (let turn = 0; turn < 4; turn += 1) await write(createRequester(one.port), titles, turn)
    one.process.kill('SIGKILL')
    for (let turn = 0; turn < 2; turn += 1) await write(createRequester(two.port), titles, turn)
    await requireAll(place.file, titles)
  })
})

interface Place {
  readonly folder: string
  readonly database?: string
  /** Hooks write their lines to it. */
  readonly file: string
}

async function createPlace(t: TestContext): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-after-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'hooks.txt')
  process.env.HOOK_FILE = file
  return { folder, file, ...(onPostgres && { database: await freshDatabase() }) }
}

/** Creates a note and changes an earlier one, so that the hooks of both are due when the process dies. */
async function write(request: SendRequest, titles: Map<string, string[]>, number: number): Promise<void> {
  const created = await request('POST /notes', {}, { title: `${number}` })
  assert.equal(created.status, 201, created.text)
  titles.set(created.json.id, [`${number}`])
  const [[id, known] = ['', []]] = [...titles].slice(number % 3)
  const title = `${known.at(-1)}.${number}`
  assert.equal((await request(`PATCH /notes/${id}`, {}, { title })).status, 200)
  known.push(title)
}

/** Waits until each version has a line; the first lines of the versions of an item must be in order. */
async function requireAll(file: string, titles: ReadonlyMap<string, readonly string[]>) {
  const expected = [...titles.values()].flat().length
  const versionOf = (line: string) => line.slice(line.indexOf(' ') + 1)
  const lines = await eventually(async () => {
    const text = await readFile(file, 'utf8').catch(() => '')
    const written = text.split('\n').filter((line) => line !== '')
    return new Set(written.map(versionOf)).size >= expected && written
  })
  const seen = lines.map(versionOf)
  for (const [id, known] of titles) {
    const own = new Set(seen.filter((line) => line.startsWith(`${id} `)))
    assert.deepEqual(
      [...own],
      known.map((title) => `${id} ${title}`),
    )
  }
  return lines
}
