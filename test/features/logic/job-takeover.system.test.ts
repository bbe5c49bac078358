/** Jobs whose process is killed with -9 are taken over: by another worker, another node, or the next start. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { freshDatabase, onPostgres } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { type Node, startNode } from '../../reliability/node.ts'
import { clientOf, startWorkers } from '../../reliability/worker-service.ts'
import { createRequester, type SendRequest } from '../../service.ts'

const definition = 'test/features/logic/fixtures/interrupted-import.ts'

describe('a job whose process dies at 40 %', () => {
  it('is taken over by another worker', async (t) => {
    const { port } = await startWorkers(t, {
      definition,
      ...(onPostgres && { database: await freshDatabase() }),
    })
    const request = await clientOf(t, port)
    const uri = await startImport(request)
    process.kill(await processAt40(request, uri), 'SIGKILL')
    const other = await clientOf(t, port)
    await requireEnd(other, uri)
  })

  it('is taken over by the next start', async (t) => {
    const place = await placeOf(t)
    const node = await startNode({ definition, ...place })
    const uri = await startImport(createRequester(node.port))
    await processAt40(createRequester(node.port), uri)
    await kill(node)
    const next = await startNode({ definition, ...place })
    await requireEnd(createRequester(next.port), uri)
  })

  const onSeveralNodes = onPostgres ? it : () => undefined
  onSeveralNodes('is taken over by another node', async (t) => {
    const place = await placeOf(t)
    const nodes = [await startNode({ definition, ...place }), await startNode({ definition, ...place })]
    const uri = await startImport(createRequester(nodes[0]!.port))
    const pid = await processAt40(createRequester(nodes[1]!.port), uri)
    const running = nodes.find((node) => node.process.pid === pid)
    assert.ok(running)
    await kill(running)
    const [other] = nodes.filter((node) => node !== running)
    await requireEnd(createRequester(other!.port), uri)
  })
})

async function placeOf(t: TestContext): Promise<{ readonly folder: string; readonly database?: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-takeover-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return { folder, ...(onPostgres && { database: await freshDatabase() }) }
}

async function kill(node: Node): Promise<void> {
  const died = once(node.process, 'exit')
  node.process.kill('SIGKILL')
  await died
}

async function startImport(request: SendRequest): Promise<string> {
  const reply = await request('POST /notes/import')
  assert.equal(reply.status, 202, reply.text)
  return String(reply.fields.location)
}

/** The process that runs the job, which has reported 40 %. */
function processAt40(request: SendRequest, uri: string): Promise<number> {
  return eventually(async () => {
    const { json } = await request(`GET ${uri}`)
    return json.progress === 0.4 && Number(/^process (\d+)$/.exec(json.message)?.[1])
  })
}

/** The job ends, and each of its notes was created once. */
async function requireEnd(request: SendRequest, uri: string): Promise<void> {
  const ended = await eventually(async () => {
    const { status, json } = await request(`GET ${uri}`)
    return status === 200 && json.endedAt !== undefined && json
  })
  assert.equal(ended.status, 'done')
  const titles = (await request('GET /notes')).json.map(({ title }: { title: string }) => title)
  assert.deepEqual(titles, ['one', 'two', 'three', 'four', 'five'])
}
