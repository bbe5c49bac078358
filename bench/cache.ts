/**
 * The folder in which a bench keeps what it need not make again. It is on a disk, which a folder
 * for temporary files need not be: there a durable write would cost nothing.
 */

import { mkdirSync, mkdtempSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const base = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')

export function cacheFolder(...path: readonly string[]): string {
  const folder = join(base, 'restwell-bench', ...path)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** For what does not outlive a run. */
export function runFolder(): string {
  return mkdtempSync(join(cacheFolder(), 'run-'))
}
