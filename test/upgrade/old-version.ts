/** A service of an earlier version of Restwell, from a folder with its source. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { adminAccount } from './shop-data.ts'

interface OldVersion {
  readonly tree: string
  readonly definition: string
  readonly database: string
}

/** Resolves when the service listens. */
export async function startVersion({ tree, definition, database }: OldVersion) {
  const words = ['--conditions=source', join(tree, 'src/cli.ts'), 'serve', definition, '--port', '0']
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: database,
    RESTWELL_ADMIN: adminAccount,
    RESTWELL_RATE: 'off',
    LOG_LEVEL: 'warn',
  }
  const child = spawn(process.execPath, words, { cwd: tree, env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^Listening on (http:.*)$/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume()
    const stop = async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    return { url, stop }
  }
  throw new Error(`The version in ${tree} ended before it listened.`)
}
