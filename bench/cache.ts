/**
 * The folder in which the bench caches databases and packages. It is on a disk: in a temporary
 * folder in memory a durable write would cost nothing.
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

/** Creates a folder for one part of a run, and removes the folders of killed runs. */
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
    // EPERM: the process belongs to another user and is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
