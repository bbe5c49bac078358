/** A temporary file without a name: its octets are gone when it is closed, or when the process ends. */

import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Octets of one read: large, because each read costs a turn of the thread pool. */
const partOctets = 262_144

export interface Spool {
  write(octets: Uint8Array): Promise<void>
  /** All octets that were written. */
  read(): AsyncGenerator<Uint8Array>
  close(): Promise<void>
}

export async function openSpool(): Promise<Spool> {
  const path = join(tmpdir(), `restwell-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  let size = 0
  return {
    async write(octets) {
      await writeAll(handle, octets, size)
      size += octets.length
    },
    async *read() {
      for (let position = 0; position < size; ) {
        const octets = Buffer.allocUnsafeSlow(Math.min(partOctets, size - position))
        const { bytesRead } = await handle.read(octets, 0, octets.length, position)
        position += bytesRead
        yield octets.subarray(0, bytesRead)
      }
    },
    close: () => handle.close(),
  }
}

async function writeAll(handle: FileHandle, octets: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < octets.length; ) {
    const { bytesWritten } = await handle.write(octets, written, octets.length - written, position + written)
    written += bytesWritten
  }
}
