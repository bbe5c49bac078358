/**
 * Repeated requests (docs/reference/http.md, Methods): wherever a connection is cut, one key has one effect, and
 * every response that arrives is the same.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { eventually } from '../eventually.ts'
import { createRequester, type Reply } from '../service.ts'
import { type Node, startNode } from './node.ts'

const tries = cases(500)
/** The number of concurrent clients, each with its own keys. */
const clients = 8
const killEvery = Math.ceil(tries / 5)

const cuts = ['before', 'during the request', 'before the response', 'during the response'] as const

test(`each POST repeated 0 to 3 times with cut connections creates one item, ${tries} times`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-retries-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const random = randomFrom(Date.now() % 2 ** 31, (seed) => t.diagnostic(`seed ${seed}`))
  const service = await serviceIn(folder)
  let next = 0
  let kills = 0
  const client = async () => {
    for (let number = next++; number < tries; number = next++) {
      if (number % killEvery === killEvery - 1) {
        kills += 1
        await Promise.all([service.killAndStart(), attempt(service, number, random)])
      } else await attempt(service, number, random)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const titles = await allTitles(service)
  await service.stop()
  assert.equal(titles.length, tries)
  assert.equal(new Set(titles).size, tries)
  t.diagnostic(`${tries} keys, ${kills} kills, ${titles.length} items`)
})

interface Restarted {
  readonly port: number
  /** Resolves once it has been started again, at once while it runs. */
  up(): Promise<void>
  killAndStart(): Promise<void>
  stop(): Promise<void>
}

/** One service, that is killed and started again at the same port. */
async function serviceIn(folder: string): Promise<Restarted> {
  const definition = 'test/reliability/fixtures/notes.ts'
  let node: Node = await startNode({ definition, folder })
  const { port } = node
  let up = Promise.resolve()
  const restart = async () => {
    const died = once(node.process, 'exit')
    node.process.kill('SIGKILL')
    await died
    node = await startNode({ definition, folder, port })
  }
  return {
    port,
    up: () => up,
    killAndStart() {
      up = up.then(restart)
      return up
    },
    async stop() {
      node.process.kill('SIGTERM')
      await once(node.process, 'exit')
    },
  }
}

/** Sends the request on connections that are cut, then completely until there is a response, and once more. */
async function attempt(service: Restarted, number: number, random: (below: number) => number) {
  const title = `note ${number}`
  const message = messageOf(title, number)
  for (let cut = random(4); cut > 0; cut -= 1) {
    await sendAndCut(service.port, message, cuts[random(cuts.length)]!, random)
  }
  const first = await sendUntilResponse(service, title, number)
  const again = await sendUntilResponse(service, title, number)
  assert.equal(first.json.title, title)
  assert.equal(again.fields.location, first.fields.location)
  assert.equal(again.text, first.text)
}

function messageOf(title: string, number: number): string {
  const body = JSON.stringify({ title })
  const fields = [
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Idempotency-Key: "key ${number}"`,
  ]
  return `POST /notes HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`
}

/** A service that is being killed accepts no connection, which counts as a cut connection. */
async function sendAndCut(
  port: number,
  message: string,
  cut: (typeof cuts)[number],
  random: (below: number) => number,
): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const ended = new Promise<void>((resolve) => {
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
  })
  const connected = new Promise<void>((resolve) => socket.on('connect', resolve))
  await Promise.race([connected, ended])
  if (cut === 'during the request') await write(socket, message.slice(0, random(message.length)))
  if (cut === 'before the response') await write(socket, message)
  if (cut === 'during the response') {
    const responding = new Promise<void>((resolve) => socket.once('data', () => resolve()))
    await write(socket, message)
    await Promise.race([responding, ended])
  }
  socket.destroy()
  await ended
}

/** Resolves when the octets are with the system, or can no longer be. */
function write(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.write(text, () => resolve())
  })
}

/** Repeats the request after a lost connection, 409 and 503, as a client does. */
function sendUntilResponse(service: Restarted, title: string, number: number): Promise<Reply> {
  const request = createRequester(service.port)
  const fields = { 'idempotency-key': `"key ${number}"` }
  return eventually(async () => {
    try {
      const reply = await request('POST /notes', fields, { title })
      if (reply.status === 201) return reply
      assert.ok(reply.status === 409 || reply.status === 503, reply.text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      await service.up()
    }
    return undefined
  })
}

async function allTitles({ port }: Restarted): Promise<string[]> {
  const request = createRequester(port)
  const titles: string[] = []
  let next: string | undefined = '/notes?limit=1000'
  while (next !== undefined) {
    const reply = await request(`GET ${next}`)
    for (const { title } of reply.json) titles.push(title)
    next = /<([^>]*)>; rel="next"/.exec(reply.fields.link as string)?.[1]
  }
  return titles
}

/** Random numbers that are the same for the same seed (mulberry32). */
function randomFrom(seed: number, tell: (seed: number) => void): (below: number) => number {
  tell(seed)
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
