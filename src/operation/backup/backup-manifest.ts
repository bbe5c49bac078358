/**
 * The file of one backup: a line of JSON that anyone can read, then the encoded description of its tables and chunks.
 * Files that are damaged, cut off, of another program or of another format are refused by name.
 */

import type { CopyCounters } from '../../store/copy/copy-interfaces.ts'
import { describeOtherFormat, FORMAT } from '../../store/schema/format-version.ts'
import type { Schema } from '../../store/schema/table-schema.ts'
import { StoreOpenError } from '../../store/store.ts'
import type { BackupEncoding } from './backup-encoding.ts'
import { type BackupPlace, locateBackup, type StoredBackup } from './backup-place.ts'

const formatName = 'restwell backup'

export interface Backup {
  /** Everything that was committed before this time is in it. */
  readonly at: string
  /** The tables of the database, as they were. */
  readonly schema: Schema
  readonly counters: CopyCounters
  readonly tables: readonly BackedUpTable[]
  /** The content of files; undefined where the definition has none. */
  readonly files?: readonly BackedUpFile[]
}

export interface BackedUpTable {
  readonly name: string
  readonly rows: number
  /** The digests of its chunks, which have the rows in key order. */
  readonly chunks: readonly string[]
}

export interface BackedUpFile {
  /** The SHA-256 digest of its octets, in base64. */
  readonly digest: string
  readonly size: number
  /** The digests of its chunks, which have its octets in order. */
  readonly chunks: readonly string[]
}

interface Header {
  readonly format: string
  readonly version: number
  readonly at: string
  readonly encrypted: boolean
  /** The digest of the description. */
  readonly digest: string
}

/** Writes the file; returns its name when it is durable. */
export async function writeBackup(
  place: BackupPlace,
  backup: Backup,
  encoding: BackupEncoding,
): Promise<string> {
  const content = Buffer.from(JSON.stringify(backup, replaceBigints))
  const header: Header = {
    format: formatName,
    version: FORMAT,
    at: backup.at,
    encrypted: encoding.isEncrypted,
    digest: encoding.digest(content),
  }
  const name = backupName(backup.at)
  await place.write(
    name,
    Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), encoding.encode(content)]),
  )
  return name
}

/** Reads the file. Throws a StoreOpenError that names it. */
export async function readBackup(stored: StoredBackup, encoding: BackupEncoding): Promise<Backup> {
  const file = locateBackup(stored)
  const octets = await readOctets(stored)
  const end = octets.indexOf('\n')
  const header = parseHeader(file, octets.subarray(0, Math.max(end, 0)).toString())
  if (header.encrypted && !encoding.isEncrypted) {
    throw refused(file, 'is encrypted. Set RESTWELL_BACKUP_KEY to its key')
  }
  if (header.encrypted !== encoding.isEncrypted) {
    throw refused(file, 'is not encrypted. Remove RESTWELL_BACKUP_KEY from the environment')
  }
  const content = openContent(file, octets.subarray(end + 1), encoding)
  if (encoding.digest(content) !== header.digest) throw refused(file, damaged)
  const backup: Backup = JSON.parse(content.toString(), reviveBigints)
  if (backup.at !== header.at || stored.name !== backupName(header.at)) throw refused(file, damaged)
  return backup
}

/** The file; undefined where it cannot be read. */
export function findBackup(stored: StoredBackup, encoding: BackupEncoding): Promise<Backup | undefined> {
  return readBackup(stored, encoding).catch((error) => {
    if (error instanceof StoreOpenError) return undefined
    throw error
  })
}

async function readOctets(stored: StoredBackup): Promise<Buffer> {
  const octets = await stored.place.read(stored.name)
  if (octets) return Buffer.from(octets)
  throw new StoreOpenError(`There is no backup at ${locateBackup(stored)}.`)
}

const damaged = 'is damaged or incomplete. Choose another one'

/** A StoreOpenError that names the backup. */
export function refused(file: string, reason: string, cause?: unknown): StoreOpenError {
  return new StoreOpenError(`The backup ${file} ${reason}.`, { cause })
}

function parseHeader(file: string, line: string): Header {
  let header: Partial<Header>
  try {
    header = JSON.parse(line)
  } catch (cause) {
    throw refused(file, damaged, cause)
  }
  const { format, version, at, encrypted, digest } = header
  if (format !== formatName) throw refused(file, 'was made by another program')
  if (typeof version !== 'number') throw refused(file, damaged)
  if (version !== FORMAT) throw refused(file, describeOtherFormat(version))
  if (typeof at !== 'string' || typeof encrypted !== 'boolean' || typeof digest !== 'string') {
    throw refused(file, damaged)
  }
  return { format, version, at, encrypted, digest }
}

function openContent(file: string, encoded: Uint8Array, encoding: BackupEncoding): Buffer {
  try {
    return Buffer.from(encoding.decode(encoded))
  } catch (cause) {
    const isKeyWrong = encoding.isEncrypted
    throw refused(file, isKeyWrong ? 'is damaged, or RESTWELL_BACKUP_KEY is not its key' : damaged, cause)
  }
}

const ending = '.backup'

/** The name of the file of a backup: `20261117T083000.123Z.backup`. */
function backupName(at: string): string {
  return `${at.replaceAll(/[-:]/g, '')}${ending}`
}

/** The time of the backup with that name; undefined where it is none. */
export function timeOfName(name: string): string | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z)\.backup$/.exec(name) ?? []
  return year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}`
}

/** JSON has no 64-bit integers. */
function replaceBigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { bigint: String(value) } : value
}

function reviveBigints(_: string, value: unknown): unknown {
  const isBigint = typeof value === 'object' && value !== null && 'bigint' in value
  return isBigint && typeof value.bigint === 'string' ? BigInt(value.bigint) : value
}
