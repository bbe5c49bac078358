/** A folder in memory: on a disk, most tests of databases wait for it to be synchronised. */

import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
/** What a run may need, in octets; containers often have much less. */
const needed = 4 * 1024 ** 3

/** Returns a folder in memory where the system has one with room, else the folder for temporary files. */
export function memoryFolder(): string {
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= needed ? memory : tmpdir()
}
