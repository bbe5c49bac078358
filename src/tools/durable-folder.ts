/** Folders whose names survive a power cut: a new name is durable when the folder that has it was synced. */

import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** For its owner only: other users of the machine cannot open it. */
const options = { recursive: true, mode: 0o700 } as const

/** Creates the folder and those above it that do not exist. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, options)
  for (const folder of parentsOf(path, first)) await syncFolder(folder)
}

/** Like `makeFolder`, for a start. */
export function makeFolderNow(path: string): void {
  const first = mkdirSync(path, options)
  for (const folder of parentsOf(path, first)) {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
}

/** Makes the names of files in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The parents of all folders from the first to the path; none where nothing was created. */
function parentsOf(path: string, first: string | undefined): readonly string[] {
  if (first === undefined) return []
  const parents: string[] = []
  for (let folder = resolve(path); folder.length >= resolve(first).length; folder = dirname(folder)) {
    parents.push(dirname(folder))
  }
  return parents
}
