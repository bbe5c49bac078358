/**
 * PATCHes of one item by many clients, beside PATCHes of different items, on SQLite, on PostgreSQL, and by PocketBase.
 * `node --conditions=source bench/hot.ts [seconds] [rounds]`
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as send } from 'node:http'
import { join } from 'node:path'
import { freePort, startCluster } from '../test/cluster.ts'
import { ask } from './ask.ts'
import { cacheFolder, runFolder } from './cache.ts'
import { startService } from './listening-process.ts'
import { account, note } from './note.ts'
import { processorTimeOf } from './process-tree.ts'
import { median } from './rounds.ts'
import { formatTable } from './table.ts'

const seconds = Number(process.argv[2] ?? 3)
const rounds = Number(process.argv[3] ?? 3)
const connections = 64
const itemCount = 500

const pocketBaseVersion = 'v0.39.0'

const pocketBaseSource = `package main

import (
	"log"

	"github.com/pocketbase/pocketbase"
)

func main() {
	if err := pocketbase.New().Start(); err != nil {
		log.Fatal(err)
	}
}
`

interface Server {
  readonly name: string
  readonly url: string
  readonly pid: number
  /** The path of the collection. */
  readonly path: string
  /** The ids of the items. */
  readonly ids: readonly string[]
  stop(): Promise<void>
}

interface Measured {
  readonly perSecond: number
  /** Microseconds of processor time per request. */
  readonly processor: number
  /** The longest request in milliseconds. */
  readonly longest: number
  /** Responses other than 200. */
  readonly refused: number
}

const folder = runFolder()
const cluster = await startCluster()
const servers: Server[] = []
try {
  servers.push(await startRestwell('SQLite', `file:${join(folder, 'notes.db')}`))
  servers.push(await startRestwell('PostgreSQL', cluster.freshUrl()))
  const pocketbase = await startPocketBase()
  if (pocketbase) servers.push(pocketbase)
  process.stdout.write(formatTable(await measureAll()))
} finally {
  for (const server of servers) await server.stop()
  await cluster.end()
  rmSync(folder, { recursive: true, force: true })
}

/** The rounds of all servers are alternate, so that other load affects all of them. */
async function measureAll() {
  const loads = servers.flatMap((server) => [
    { server, label: `${server.name}: one item`, ids: server.ids.slice(0, 1) },
    { server, label: `${server.name}: different items`, ids: server.ids },
  ])
  const measured = new Map<string, Measured[]>(loads.map(({ label }) => [label, []]))
  for (const { server, ids } of loads) await applyLoad(server, ids, 1)
  for (let round = 0; round < rounds; round += 1) {
    for (const { server, label, ids } of loads)
      measured.get(label)?.push(await applyLoad(server, ids, seconds))
  }
  const rows = [...measured].map(([label, all]) => [
    label,
    median(all.map(({ perSecond }) => perSecond)).toFixed(0),
    `${median(all.map(({ processor }) => processor)).toFixed(0)} µs`,
    `${Math.max(...all.map(({ longest }) => longest)).toFixed(0)} ms`,
    String(all.reduce((sum, { refused }) => sum + refused, 0)),
  ])
  return [
    [`PATCHes over ${connections} connections`, 'per second', 'processor', 'longest', 'refused'],
    ...rows,
  ]
}

async function applyLoad(
  { url, path, pid }: Server,
  ids: readonly string[],
  time: number,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const before = processorTimeOf(pid)
  const began = performance.now()
  const end = began + time * 1000
  let [sent, refused, longest] = [0, 0, 0]
  const converse = async () => {
    while (performance.now() < end) {
      sent += 1
      const since = performance.now()
      const status = await patch(`${url}${path}/${ids[sent % ids.length]}`, { stars: sent % 100_000 }, agent)
      longest = Math.max(longest, performance.now() - since)
      if (status !== 200) refused += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, converse))
  agent.destroy()
  const perSecond = (sent - refused) / ((performance.now() - began) / 1000)
  return { perSecond, processor: (processorTimeOf(pid) - before) / sent, longest, refused }
}

function patch(url: string, content: unknown, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const body = JSON.stringify(content)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  const sending = send(url, { method: 'PATCH', headers, agent }, (response) => {
    response.resume()
    response.on('end', () => resolve(response.statusCode ?? 0))
  })
  sending.on('error', reject)
  sending.end(body)
  return promise
}

async function startRestwell(name: string, database: string): Promise<Server> {
  const { pid, port, stop } = await startService(join(import.meta.dirname, 'notes.ts'), {
    DATABASE_URL: database,
  })
  const server = { name: `Restwell on ${name}`, url: `http://127.0.0.1:${port}`, pid, path: '/notes' }
  return { ...server, ids: await createItems(server), stop }
}

/** Undefined where PocketBase cannot be built, after printing why. */
async function startPocketBase(): Promise<Server | undefined> {
  const program = buildPocketBase()
  if (program === undefined) return undefined
  const data = ['--dir', join(folder, 'pocketbase')]
  const { login, password } = account
  execFileSync(program, ['superuser', 'upsert', login, password, ...data], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${await freePort()}`
  const child = spawn(program, ['serve', '--http', url.slice('http://'.length), ...data], { stdio: 'ignore' })
  const pid = child.pid as number
  const stop = async () => void (await endOf(child))
  try {
    await answering(url)
    await createCollection(url)
    const server = { name: 'PocketBase', url, pid, path: '/api/collections/notes/records' }
    return { ...server, ids: await createItems(server), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function endOf(child: ChildProcess): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  child.once('exit', resolve)
  child.kill('SIGTERM')
  return promise
}

/** Builds it once, with Go from its module proxy, in the cache folder. */
function buildPocketBase(): string | undefined {
  const built = cacheFolder(`pocketbase-${pocketBaseVersion}`)
  const program = join(built, 'pocketbase')
  if (existsSync(program)) return program
  process.stderr.write(`Building PocketBase ${pocketBaseVersion} in ${built}\n`)
  writeFileSync(join(built, 'go.mod'), 'module bench\n')
  writeFileSync(join(built, 'main.go'), pocketBaseSource)
  const options = { cwd: built, stdio: 'pipe', env: { ...process.env, CGO_ENABLED: '0' } } as const
  try {
    execFileSync('go', ['get', `github.com/pocketbase/pocketbase@${pocketBaseVersion}`], options)
    execFileSync('go', ['build', '-o', program, '.'], options)
    return program
  } catch (error) {
    const [reason] = String((error as { stderr?: unknown }).stderr ?? error).split('\n')
    process.stderr.write(`SKIPPED: PocketBase cannot be built: ${reason}\n`)
    return undefined
  }
}

async function answering(url: string): Promise<void> {
  const until = performance.now() + 20_000
  while (!(await fetch(`${url}/api/health`).catch(() => undefined))?.ok) {
    if (performance.now() > until) throw new Error(`${url} does not answer`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A collection with the fields of a note and rules that permit everything. */
async function createCollection(url: string): Promise<void> {
  const credentials = JSON.stringify({ identity: account.login, password: account.password })
  const path = '/api/collections/_superusers/auth-with-password'
  const signedIn = await ask(url, { method: 'POST', path, content: credentials, status: 200 })
  const { token } = JSON.parse(signedIn.text) as { token: string }
  const rules = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' }
  const fields = [
    { name: 'title', type: 'text', required: true, max: 200 },
    { name: 'body', type: 'text', max: 10_000 },
    { name: 'tags', type: 'json' },
    { name: 'stars', type: 'number', onlyInt: true, min: 0 },
    { name: 'created', type: 'autodate', onCreate: true },
    { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
  ]
  const content = JSON.stringify({ name: 'notes', type: 'base', fields, ...rules })
  const sent = { method: 'POST', path: '/api/collections', content, status: 200 } as const
  await ask(url, { ...sent, fields: { Authorization: token } })
}

async function createItems({ name, url, path }: Omit<Server, 'ids' | 'stop'>): Promise<readonly string[]> {
  const content = JSON.stringify(note)
  const status = name === 'PocketBase' ? 200 : 201
  const ids: string[] = []
  while (ids.length < itemCount) {
    const { text } = await ask(url, { method: 'POST', path, content, status })
    ids.push((JSON.parse(text) as { id: string }).id)
  }
  return ids
}
