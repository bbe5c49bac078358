/** Writes files that are complete and durable, or do not exist. */

import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces the file. It has another name until it is complete and durable. */
export async function writeDurably(file: string, content: Uint8Array): Promise<void> {
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  const handle = await open(partial, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(partial, file)
  await syncFolder(dirname(file))
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
