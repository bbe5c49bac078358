/**
 * The installed package: its size, the time from start to first response, and its memory when
 * idle.
 */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../ask.ts'
import { copyFilled } from '../fill.ts'
import { idOf } from '../note.ts'
import { installIn, npmEnvironment } from '../peer.ts'
import { memoryOf } from '../process-tree.ts'
import { median } from '../rounds.ts'
import { type Run, startFilledService, Targets } from '../run.ts'
import { urlOf } from '../target.ts'
import { writeSampleFields } from '../targets.ts'

export interface Start {
  readonly package: { readonly megabytes: number; readonly packages: number }
  /** Milliseconds from start to first response, and MiB two seconds later. */
  readonly restwell: Begun
  readonly sqlite: Begun
}

interface Begun {
  readonly firstAnswer: number
  readonly idleMemory: number
}

/** Returns undefined when packages cannot be installed, after printing why. */
export async function measureStart(run: Run): Promise<Start | undefined> {
  const installed = installPackage(run.folder)
  if (installed === undefined) return undefined
  const { rows, rounds } = run.options
  const database = join(run.folder, 'start.db')
  const plain = join(run.folder, 'start-plain.db')
  await copyFilled('service', rows, database)
  await copyFilled('plain', rows, plain)
  const service = serviceArgs(installed, database)
  const bare = await bareArgs(run, plain)
  const begun = { restwell: [] as Begun[], sqlite: [] as Begun[] }
  for (let round = 0; round < rounds + 2; round += 1) {
    begun.restwell.push(await beginOnce(service))
    begun.sqlite.push(await beginOnce(bare))
  }
  return {
    package: sizeOf(installed),
    restwell: middleOf(begun.restwell),
    sqlite: middleOf(begun.sqlite),
  }
}

/** Installs the package from `npm pack` in a folder of its own. */
export function installPackage(folder: string): string | undefined {
  const root = join(import.meta.dirname, '../..')
  const installed = join(folder, 'installed')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{ "private": true, "type": "module" }')
  try {
    const args = ['pack', '--silent', '--pack-destination', installed]
    const options = { cwd: root, env: npmEnvironment(), stdio: 'pipe', encoding: 'utf8' } as const
    const [name = ''] = execFileSync('npm', args, options).trim().split('\n').slice(-1)
    installIn(installed, '--omit=dev', join(installed, name))
  } catch (error) {
    process.stderr.write(`SKIPPED: start: the package cannot be installed: ${error}\n`)
    return undefined
  }
  return installed
}

function sizeOf(installed: string): Start['package'] {
  const files = globSync('node_modules/**/*', { cwd: installed }).map((file) =>
    statSync(join(installed, file)),
  )
  const octets = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  const lock = readFileSync(join(installed, 'node_modules/.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, unknown> }
  return { megabytes: octets / 1e6, packages: Object.keys(packages).length }
}

interface Beginning {
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts it with a definition in TypeScript. */
function serviceArgs(installed: string, database: string): Beginning {
  const definition = join(installed, 'service.ts')
  copyFileSync(join(import.meta.dirname, '../notes.ts'), definition)
  const command = join(installed, 'node_modules/restwell/bin/restwell.js')
  const args = [command, 'serve', definition, '--host', '127.0.0.1', '--port', '0']
  return { args, environment: { DATABASE_URL: `file:${database}`, LOG_LEVEL: 'fatal' } }
}

/** In JavaScript, like the built service. */
async function bareArgs(run: Run, plain: string): Promise<Beginning> {
  await using targets = new Targets()
  const service = startFilledService(run, { name: 'sampled', rows: run.options.rows })
  await writeSampleFields(await targets.add(service), run.folder)
  const servers = join(import.meta.dirname, '../servers')
  for (const name of ['sqlite', 'fields', 'shown']) {
    const text = stripTypeScriptTypes(readFileSync(join(servers, `${name}.ts`), 'utf8'))
    const script = text.replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.mjs'")
    writeFileSync(join(run.folder, `${name}.mjs`), script)
  }
  return { args: [join(run.folder, 'sqlite.mjs'), join(run.folder, 'fields.json'), plain] }
}

async function beginOnce({ args, environment = {} }: Beginning): Promise<Begun> {
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const url = await urlOf(child)
  await ask(url, { method: 'GET', path: `/notes/${idOf(0)}`, status: 200 })
  const firstAnswer = performance.now() - began
  await pause(2000)
  const idleMemory = memoryOf(child.pid as number)
  child.kill('SIGTERM')
  await exited
  return { firstAnswer, idleMemory }
}

function middleOf(all: readonly Begun[]): Begun {
  return {
    firstAnswer: median(all.map(({ firstAnswer }) => firstAnswer)),
    idleMemory: median(all.map(({ idleMemory }) => idleMemory)),
  }
}
