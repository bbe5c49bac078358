/**
 * The folder in which a bench keeps what it need not make again. It is on a disk, which a folder
 * for temporary files need not be: there a durable write would cost nothing.
 */

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const base = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')

export function cacheFolder(...path: readonly string[]): string {
  const folder = join(base, 'restwell-bench', ...path)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** For what does not outlive a part of a run. What runs that were killed have left is removed. */
export function runFolder(): string {
  const folder = cacheFolder()
  for (const name of readdirSync(folder)) {
    const pid = /^run-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) {
      rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
  return mkdtempSync(join(folder, `run-${process.pid}-`))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // One that belongs to another user is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
