/**
 * Compares GETs of a file of 1 MB with a node:http server that pipes the same file.
 * `node --conditions=source bench/files.ts`
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const size = 1_000_000
const connections = 16
const rounds = 7
const requests = 600

/** The server that is compared with: nothing but the file. */
const bareServer = `
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': ${size} })
  createReadStream(process.argv[1]).pipe(response)
})
server.listen(0, '127.0.0.1', () => console.log('Listening on http://127.0.0.1:' + server.address().port))
`

interface Server {
  readonly process: ChildProcess
  readonly url: string
}

async function start(args: readonly string[], environment: Record<string, string> = {}): Promise<Server> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Listening on (http:\/\/.*)$/.exec(line)?.[1]
    if (url !== undefined) return { process: child, url }
  }
  throw new Error('The server ended before it listened')
}

/** The GETs per second. */
async function measure(uri: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let left = requests
  const began = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left-- > 0) await download(uri, agent)
    }),
  )
  const rate = requests / ((performance.now() - began) / 1000)
  agent.destroy()
  return rate
}

async function download(uri: string, agent: Agent): Promise<void> {
  const [response] = await once(get(uri, { agent }), 'response')
  let octets = 0
  for await (const part of response) octets += part.length
  if (response.statusCode !== 200 || octets !== size)
    throw new Error(`Got ${response.statusCode}, ${octets} octets`)
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

const folder = await mkdtemp(join(tmpdir(), 'restwell-bench-'))
const content = Buffer.alloc(size, 'restwell ')
const path = join(folder, 'file')
await writeFile(path, content)
const bare = await start(['--input-type=module', '--eval', bareServer, path])
const service = await start(
  ['--conditions=source', 'src/cli.ts', 'serve', 'test/features/files/large-files.ts', '--port', '0'],
  {
    HOST: '127.0.0.1',
    DATABASE_URL: `file:${join(folder, 'a.db')}`,
    RESTWELL_RATE: 'off',
    LOG_LEVEL: 'error',
  },
)
const created = await fetch(`${service.url}/films`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ title: 'A' }),
})
const file = `${service.url}${created.headers.get('location')}/reel`
await fetch(file, { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: content })
const rates = { service: [] as number[], bare: [] as number[] }
for (let round = 0; round < rounds; round += 1) {
  rates.bare.push(await measure(bare.url))
  rates.service.push(await measure(file))
}
const [own, other] = [median(rates.service), median(rates.bare)]
console.log(`Restwell: ${own.toFixed(0)} GETs of 1 MB per second`)
console.log(`node:http with a pipe: ${other.toFixed(0)}`)
// Of each round, because the machine may have other work.
const ratios = rates.service.map((rate, round) => rate / (rates.bare[round] ?? Number.NaN))
console.log(`ratio: ${median(ratios).toFixed(2)}`)
for (const server of [bare, service]) server.process.kill('SIGTERM')
await Promise.all([bare, service].map((server) => server.process.exitCode ?? once(server.process, 'exit')))
await rm(folder, { recursive: true })
