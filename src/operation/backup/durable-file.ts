/** Writes files that are complete and durable, or do not exist. */

import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, syncFolder } from '../../tools/durable-folder.ts'

/** Replaces the file, and creates its folder. The file has another name until it is complete and durable. */
export async function writeDurably(file: string, content: Uint8Array): Promise<void> {
  await makeFolder(dirname(file))
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  try {
    await writeAndSync(partial, content)
    await rename(partial, file)
  } catch (error) {
    // Its room may be needed.
    await rm(partial, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
}

async function writeAndSync(file: string, content: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
