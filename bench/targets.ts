/** The measured servers, with how each is started on which database. */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/cluster.ts'
import { type Answer, ask, type BenchRequest } from './ask.ts'
import { byOffset, byPosition, jsonServer, ours } from './dialect.ts'
import { copyFilled, jsonRows, writeJson } from './fill.ts'
import { account, idOf, note, plainToken } from './note.ts'
import { installPeer, type PeerName, placePeer } from './peer.ts'
import type { AnswerKind } from './servers/fields.ts'
import { startTarget, type Target, type TargetPlan } from './target.ts'

export const opponents = ['http', 'sqlite', 'fastify', 'express', 'json-server'] as const
export type Opponent = (typeof opponents)[number]

const here = import.meta.dirname
const cli = join(here, '..', 'src', 'cli.ts')

export interface ServicePlan {
  /** A URL. */
  readonly database: string
  readonly rows: number
  readonly name?: string
  readonly workers?: number
  /** The folder for a processor profile, written at the stop. */
  readonly profile?: string | undefined
}

/** Starts the service. */
export function startService(plan: ServicePlan): Promise<Target> {
  const { database, rows, name = 'restwell', workers = 1, profile } = plan
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  const address = ['--host', '127.0.0.1', '--port', '0']
  const more = workers === 1 ? [] : ['--workers', String(workers)]
  const definition = join(here, 'notes.ts')
  return startTarget({
    name,
    args: [...profiling, '--conditions=source', cli, 'serve', definition, ...address, ...more],
    environment: { DATABASE_URL: database, RESTWELL_RATE: 'off' },
    dialect: ours,
    rows,
    token: makeToken,
    bulk: '/notes',
  })
}

/** Starts the service with the definition of the demo. */
export function startShop({ database, rows, name = 'shop' }: ServicePlan): Promise<Target> {
  const definition = join(here, '../examples/shop.ts')
  return startTarget({
    name,
    args: ['--conditions=source', cli, 'serve', definition, '--host', '127.0.0.1', '--port', '0'],
    environment: {
      DATABASE_URL: database,
      RESTWELL_RATE: 'off',
      RESTWELL_SAMPLE: 'off',
      RESTWELL_ADMIN: `${account.login}:${account.password}`,
    },
    dialect: ours,
    rows,
    token: makeToken,
    bulk: undefined,
  })
}

/** Whether this version of the service supports `--workers`. */
export function knowsWorkers(): boolean {
  const args = ['--conditions=source', cli, 'serve', '--help']
  return String(spawnSync(process.execPath, args).stdout).includes('--workers')
}

async function makeToken(url: string): Promise<string> {
  const credentials = Buffer.from(`${account.login}:${account.password}`).toString('base64')
  const fields = { Authorization: `Basic ${credentials}` }
  const answer = await ask(url, {
    method: 'POST',
    path: '/tokens',
    fields,
    content: '{}',
    status: 201,
  })
  return (JSON.parse(answer.text) as { token: string }).token
}

/** Returns undefined when the server cannot be installed, after printing why. */
export async function startOpponent(
  name: Opponent,
  { rows, folder }: { readonly rows: number; readonly folder: string },
): Promise<Target | undefined> {
  const fields = join(folder, 'fields.json')
  const common = { rows, bulk: '/bulk', token: plainToken }
  const server = (file: string) => join(here, 'servers', file)
  const plain = join(folder, `${name}-${rows}.db`)
  if (isOnSqlite(name)) await copyFilled('plain', rows, plain)
  switch (name) {
    case 'http': {
      const args = [server('bare.ts'), fields]
      const dialect = { ...byPosition, deepPages: async () => [byPosition.firstPage] }
      return startTarget({ ...common, name, args, dialect })
    }
    case 'sqlite':
      return startTarget({
        ...common,
        name,
        args: [server('sqlite.ts'), fields, plain],
        dialect: byPosition,
      })
    case 'json-server':
      return startJsonServer(folder)
    default: {
      const dialect = name === 'express' ? byOffset : byPosition
      return startPeer(name, plain, { ...common, name, dialect })
    }
  }
}

function isOnSqlite(name: Opponent): boolean {
  return name !== 'http' && name !== 'json-server'
}

function startPeer(
  name: PeerName,
  database: string,
  plan: Omit<TargetPlan, 'args'>,
): Promise<Target> | undefined {
  const folder = installPeer(name)
  if (folder === undefined) return undefined
  const environment = { NODE_ENV: 'production' }
  return startTarget({ ...plan, args: [placePeer(name, folder), database], folder, environment })
}

async function startJsonServer(folder: string): Promise<Target | undefined> {
  const installed = installPeer('json-server')
  if (installed === undefined) return undefined
  const file = join(folder, 'db.json')
  writeJson(file)
  const port = String(await freePort())
  const program = join(installed, 'node_modules/json-server/lib/cli/bin.js')
  return startTarget({
    name: 'json-server',
    args: [program, '--quiet', '--host', '127.0.0.1', '--port', port, file],
    folder,
    url: `http://127.0.0.1:${port}`,
    dialect: jsonServer,
    rows: jsonRows,
    deleted: 200,
    bulk: undefined,
  })
}

/** Samples the header fields of the service, which the bare servers send too. */
export async function writeSampleFields({ url, dialect }: Target, folder: string): Promise<void> {
  const item = `/notes/${idOf(0)}`
  const content = JSON.stringify(note)
  const read = async (path: string) => ask(url, { method: 'GET', path, status: 200 })
  const unchanged = async (path: string) => {
    const fields = { 'If-None-Match': String((await read(path)).fields.etag) }
    return ask(url, { method: 'GET', path, fields, status: 304 })
  }
  const write = (request: BenchRequest) => ask(url, request)
  const created = await write({ method: 'POST', path: '/notes', content, status: 201 })
  const made = `/notes/${(JSON.parse(created.text) as { id: string }).id}`
  const answers: Readonly<Record<AnswerKind, Answer>> = {
    item: await read(item),
    list: await read(dialect.firstPage),
    created,
    patched: await write({ method: 'PATCH', path: made, content: '{"stars":4}', status: 200 }),
    'item unchanged': await unchanged(item),
    'list unchanged': await unchanged(dialect.firstPage),
    deleted: await write({ method: 'DELETE', path: made, status: 204 }),
  }
  const samples = Object.entries(answers).map(([kind, { rawFields }]) => [kind, kept(rawFields)])
  writeFileSync(join(folder, 'fields.json'), JSON.stringify(Object.fromEntries(samples)))
}

/** Header fields that each server sets itself. */
const own = new Set(['date', 'connection', 'keep-alive', 'content-length', 'request-id'])

function kept(rawFields: readonly string[]): readonly string[] {
  return rawFields.filter((_, at) => !own.has((rawFields[at - (at % 2)] as string).toLowerCase()))
}
