/** What processes need that have their writes done by another: its socket, and its moment. */

import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TemporaryFolder, temporaryFolder } from '../connection/location.ts'

/** How a process finds the writer of another. */
export interface WriterAddress {
  /** The path of its socket. */
  readonly path: string
  /** The descriptor of its moment. */
  readonly seqlockDescriptor: number
}

export interface WriterSocket {
  readonly address: WriterAddress
  end(): void
}

/** Octets that the path of a socket may have on any system. */
const maxSocketPath = 103

/** In a folder beside the database that nobody else may enter; elsewhere where its path is long. */
export function openWriterSocket(database: string): WriterSocket {
  const beside = `${database}-writer`
  const short = Buffer.byteLength(socketIn(beside)) <= maxSocketPath
  const { folder, remove } = short ? newFolder(beside) : temporaryFolder()
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

/** Whoever has opened the database before and was killed has left one. */
function newFolder(folder: string): TemporaryFolder {
  const remove = () => removeOwn(folder)
  remove()
  mkdirSync(folder, { mode: 0o700 })
  return { folder, remove }
}

/** A folder of that name may be somebody else's: what was not made here stays. */
function removeOwn(folder: string): void {
  rmSync(socketIn(folder), { force: true })
  rmSync(seqlockIn(folder), { force: true })
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}
