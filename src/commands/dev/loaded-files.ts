/** The files that a definition loads, and their changes. */

import { statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { codeFolder, sourceFolder } from '../../package-paths.ts'

/** A file as it was when it was loaded. */
export interface LoadedFile {
  readonly path: string
  /** Differs whenever the file was written; `missing` where there is none. */
  readonly state: string
}

/**
 * Records the files that this process loads from now on, except those of packages and of Restwell. A
 * file that an import names and that does not exist is recorded too.
 */
export function recordLoadedFiles(): () => readonly LoadedFile[] {
  const files = new Map<string, LoadedFile>()
  const record = (url: string) => {
    if (!url.startsWith('file:')) return
    const path = fileURLToPath(url)
    if (!files.has(path) && !isOfPackage(path)) files.set(path, readState(path))
  }
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        const resolved = nextResolve(specifier, context)
        record(resolved.url)
        return resolved
      } catch (error) {
        if (/^(\.{0,2}\/|file:)/.test(specifier)) record(new URL(specifier, context.parentURL).href)
        throw error
      }
    },
  })
  return () => [...files.values()]
}

const own = [codeFolder + sep, sourceFolder + sep]

function isOfPackage(path: string): boolean {
  return path.includes(`${sep}node_modules${sep}`) || own.some((folder) => path.startsWith(folder))
}

export function readState(path: string): LoadedFile {
  const stat = statSync(pathToFileURL(path), { bigint: true, throwIfNoEntry: false })
  return { path, state: stat ? `${stat.mtimeNs}:${stat.size}:${stat.ino}` : 'missing' }
}

/** Milliseconds. Reading the state finds what events of the file system miss, such as in a container. */
const pollInterval = 100

/** Resolves when a file differs and no further change follows at once, or when the signal is aborted. */
export async function waitForChange(files: readonly LoadedFile[], signal: AbortSignal): Promise<void> {
  const isUnchanged = (known: readonly LoadedFile[]) =>
    known.every(({ path, state }) => readState(path).state === state)
  const wait = () => pause(pollInterval, undefined, { signal }).catch(() => undefined)
  while (!signal.aborted && isUnchanged(files)) await wait()
  let present: readonly LoadedFile[]
  do {
    present = files.map(({ path }) => readState(path))
    await wait()
  } while (!signal.aborted && !isUnchanged(present))
}
