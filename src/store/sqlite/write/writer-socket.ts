/** The socket and the seqlock file through which other processes use the writer. */

import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder, type TemporaryFolder } from '../connection/database-file.ts'

/** How a process finds the writer of another. */
export interface WriterAddress {
  /** The path of its socket. */
  readonly path: string
  /** The descriptor of its seqlock file. */
  readonly seqlockDescriptor: number
}

export interface WriterSocket {
  readonly address: WriterAddress
  end(): void
}

/** The longest path of a socket in octets, on all systems. */
const maxSocketPath = 103

/** Creates a private folder beside the database, or in TMPDIR where the path would be too long. */
export function openWriterSocket(database: string): WriterSocket {
  const beside = `${database}-writer`
  const short = Buffer.byteLength(socketIn(beside)) <= maxSocketPath
  const { folder, remove } = short ? newFolder(beside) : createTemporaryFolder()
  const seqlockDescriptor = openSync(seqlockIn(folder), 'wx+', 0o600)
  return {
    address: { path: socketIn(folder), seqlockDescriptor },
    end() {
      closeSync(seqlockDescriptor)
      remove()
    },
  }
}

function socketIn(folder: string): string {
  return join(folder, 'socket')
}

function seqlockIn(folder: string): string {
  return join(folder, 'seqlock')
}

/** Replaces the folder of a process that was killed. */
function newFolder(folder: string): TemporaryFolder {
  const remove = () => removeOwn(folder)
  remove()
  mkdirSync(folder, { mode: 0o700 })
  return { folder, remove }
}

/** Removes only the files created here, because the folder may belong to another program. */
function removeOwn(folder: string): void {
  rmSync(socketIn(folder), { force: true })
  rmSync(seqlockIn(folder), { force: true })
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}
