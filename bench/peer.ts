/**
 * Installs the frameworks that the service is compared with, in pinned versions and in the cache
 * folder, never into this project.
 */

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { cacheFolder } from './cache.ts'

export const peers = {
  fastify: { fastify: '5.12.8' },
  express: {
    express: '5.3.0',
    'better-sqlite3': '13.0.3',
    'drizzle-orm': '0.45.4',
    zod: '4.6.7',
  },
  'json-server': { 'json-server': '0.17.4' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>
export type PeerName = keyof typeof peers

/** Returns the folder of the installation; undefined when it fails, after printing why. */
export function installPeer(name: PeerName): string | undefined {
  const dependencies = peers[name]
  const folder = cacheFolder(`${name}-${Object.values(dependencies).join('-')}`)
  const done = join(folder, 'installed')
  if (existsSync(done)) return folder
  process.stderr.write(`Installing ${name} into ${folder}\n`)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  try {
    installIn(folder)
  } catch (error) {
    const [reason] = String((error as { stderr?: unknown }).stderr ?? error).split('\n')
    process.stderr.write(`SKIPPED: ${name} cannot be installed: ${reason}\n`)
    return undefined
  }
  writeFileSync(done, '')
  return folder
}

export function installIn(folder: string, ...args: readonly string[]): void {
  const quiet = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: folder, env: npmEnvironment(), stdio: 'pipe' } as const
  execFileSync('npm', [...quiet, ...args], options)
}

/** npm uses the Node that runs the bench. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }
}

/** Copied beside its packages, so that imports resolve. */
export function placePeer(name: PeerName, folder: string): string {
  const file = join(folder, `${name}.mjs`)
  copyFileSync(join(import.meta.dirname, 'peers', `${name}.mjs`), file)
  return file
}
