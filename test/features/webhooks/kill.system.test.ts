/**
 * A receiver that fails, hangs and redirects, and a service that is killed with -9, still give every
 * change to the receiver, in order for each item, with a record of every attempt.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { cases, someOf } from '../../cases.ts'
import { folderOf } from '../../commands/command.ts'
import { freshDatabase, onPostgres } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { type Node, startNode } from '../../reliability/node.ts'
import { replacedWorkers, startWorkers, waitForExit, workersOf } from '../../reliability/worker-service.ts'
import { admin, createRequester, type Reply, type SendRequest } from '../../service.ts'
import { type ReceivedMessage, type Respond, startReceiver } from './receiver.ts'

const definition = 'test/features/webhooks/fixtures/tasks.ts'
const items = 5
const changesPerItem = 3
const kills = cases(20, 10)

/** A service that can be killed and started again on its database and port. */
interface KillableService {
  readonly port: number
  kill(count: number): Promise<void>
}

const killings: Readonly<Record<string, (t: TestContext) => Promise<void>>> = {
  'the service': killService,
  'workers and of all processes': killWorkers,
}

for (const [killed, run] of someOf(Object.entries(killings), 1)) {
  test(`every change arrives in order for its item, by ${kills} kills of ${killed}`, run)
}

async function killService(t: TestContext): Promise<void> {
  const place = onPostgres
    ? { database: await freshDatabase() }
    : { folder: await mkdtemp(join(tmpdir(), 'restwell-hooks-')) }
  t.after(() => place.folder && rm(place.folder, { recursive: true, force: true }))
  let node: Node = await startNode({ definition, ...place })
  const { port } = node
  await checkDeliveries({
    port,
    async kill() {
      const died = once(node.process, 'exit')
      node.process.kill('SIGKILL')
      await died
      node = await startNode({ definition, ...place, port })
    },
  })
}

async function killWorkers(t: TestContext): Promise<void> {
  const database = onPostgres ? await freshDatabase() : `file:${join(await folderOf(t), 'service.db')}`
  let service = await startWorkers(t, { definition, database })
  const { port } = service
  await checkDeliveries({
    port,
    async kill(count) {
      const before = workersOf(service)
      const victim = before[count % before.length] as number
      process.kill(victim, 'SIGKILL')
      if (count % 2 === 0) return void (await replacedWorkers(service, before, victim))
      service.process.kill('SIGKILL')
      await waitForExit([...before, service.process.pid as number])
      service = await startWorkers(t, { definition, database, port })
    },
  })
}

/** Changes items while the service is killed, and compares what arrives with the changes. */
async function checkDeliveries({ port, kill }: KillableService): Promise<void> {
  const accepted: ReceivedMessage[] = []
  let isKilling = true
  await using receiver = await startReceiver(unreliable(accepted, () => isKilling))
  const request = patient(createRequester(port))
  const webhook = await request('POST /webhooks', admin, { url: receiver.url, events: ['tasks.*'] })
  assert.equal(webhook.status, 201)
  const writing = write(request)
  for (let count = 0; count < kills; count += 1) {
    await receiver.reached(Math.min(3 * (count + 1), items))
    isKilling = count < kills - 1
    await kill(count)
  }
  const expected = await writing
  await eventually(() => new Set(accepted.map(keyOf)).size >= items * changesPerItem)
  for (const [uri, titles] of expected) {
    const arrived = accepted.filter(({ json }) => json.data.href === uri)
    const once = [...new Map(arrived.toReversed().map((one) => [keyOf(one), one])).values()].toReversed()
    assert.deepEqual(
      once.map(({ json }) => json.data.item.title),
      titles,
      uri,
    )
  }
  await checkRecords(request, String(webhook.fields.location), receiver.received)
}

/** Refuses, redirects, or responds never to the first attempt of some messages. */
function unreliable(accepted: ReceivedMessage[], mayHang: () => boolean): Respond {
  const attempts = new Map<string, number>()
  const faults = ['accept', 'hang', 500, 'accept', 302, 'accept', 'accept', 'accept'] as const
  return (message, response) => {
    const id = String(message.headers['webhook-id'])
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const fault = attempt === 1 ? faults[attempts.size % faults.length] : 'accept'
    if (fault === 'hang' && mayHang()) return
    const status = typeof fault === 'number' ? fault : 204
    if (status === 204) accepted.push(message)
    response.writeHead(status, { location: '/elsewhere' }).end()
  }
}

function keyOf({ headers }: ReceivedMessage): string {
  return String(headers['webhook-id'])
}

/** Creates tasks and renames them; returns the titles of each in order. */
async function write(request: SendRequest): Promise<ReadonlyMap<string, readonly string[]>> {
  const titles = new Map<string, string[]>()
  for (let item = 0; item < items; item += 1) {
    const created = await request(
      'POST /tasks',
      { ...admin, 'idempotency-key': `"${item}"` },
      { title: `${item}.1` },
    )
    assert.equal(created.status, 201, created.text)
    titles.set(String(created.fields.location), [`${item}.1`])
  }
  for (let change = 2; change <= changesPerItem; change += 1) {
    for (const [uri, known] of titles) {
      const title = `${known[0]?.split('.')[0]}.${change}`
      const fields = { ...admin, 'content-type': 'application/merge-patch+json' }
      assert.equal((await request(`PATCH ${uri}`, fields, JSON.stringify({ title }))).status, 200)
      known.push(title)
    }
  }
  return titles
}

/** Each request that arrived has a record: it is written before the request is sent. */
async function checkRecords(request: SendRequest, uri: string, received: readonly ReceivedMessage[]) {
  const recorded = async () => (await request(`GET ${uri}/deliveries?limit=1000`, admin)).json
  // The outcome of the last request is recorded after its response.
  await eventually(async () => !(await recorded()).some(isSending))
  const json = await recorded()
  const records = Map.groupBy(
    json as readonly { message: string; status: string }[],
    ({ message }) => message,
  )
  for (const [id, requests] of Map.groupBy(received, keyOf)) {
    const attempts = records.get(id) ?? []
    assert.ok(attempts.length >= requests.length, `${id}: ${attempts.length} records of ${requests.length}`)
  }
}

function isSending({ status }: { readonly status: string }): boolean {
  return status === 'sending'
}

/** Repeats requests until the service is there again. */
function patient(request: SendRequest): SendRequest {
  return (line, fields, body): Promise<Reply> =>
    eventually(async () => {
      // Without a reply the service is starting again.
      const reply = await request(line, fields, body).catch(() => undefined)
      return reply?.status !== 503 && reply
    })
}
