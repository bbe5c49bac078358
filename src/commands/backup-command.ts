/** The frame of `restwell backup` and `restwell restore`: their flags, their key, and their messages. */

import { type BackupEncoding, createEncryption, plainEncoding } from '../operation/backup/backup-encoding.ts'
import type { Backup } from '../operation/backup/backup-manifest.ts'
import type { BackupSource } from '../operation/backup/backup-place.ts'
import { openBackupSource } from '../operation/backup/open-backup-place.ts'
import { CommandFault } from '../operation/command-frame/command.ts'
import {
  type BackupEnvironment,
  type CommandConfig,
  readBackupEnvironment,
  readCommandConfig,
} from '../operation/configuration/config.ts'
import type { FlagTable } from '../operation/configuration/flags.ts'
import { OperatorFault } from '../tools/operator-fault.ts'
import { parseEncryptionKey } from '../tools/value-encryption.ts'

export interface BackupCommand {
  readonly config: CommandConfig
  readonly environment: BackupEnvironment
  readonly encoding: BackupEncoding
}

/** Throws an OperatorFault with what the operator can change. */
export async function runBackupCommand(
  args: readonly string[],
  flags: FlagTable,
  action: (command: BackupCommand) => Promise<void>,
): Promise<number> {
  try {
    const config = readCommandConfig(args, flags)
    const environment = readBackupEnvironment()
    await action({ config, environment, encoding: createConfiguredEncoding(environment) })
    return 0
  } catch (error) {
    throw toOperatorFault(error)
  }
}

/** An OperatorFault for an error of the file system; other errors stay. */
export function toOperatorFault(error: unknown): unknown {
  const isFileError = error instanceof Error && 'syscall' in error
  return isFileError ? new OperatorFault(error.message, { cause: error }) : error
}

function createConfiguredEncoding({ key: text }: BackupEnvironment): BackupEncoding {
  if (text === undefined) return plainEncoding
  const key = parseEncryptionKey(text)
  if (key) return createEncryption(key)
  throw new CommandFault(
    'RESTWELL_BACKUP_KEY must be 32 octets in base64 or hexadecimal. Make one with: openssl rand -base64 32',
  )
}

/** The time that `--at` names; undefined where it is not given. Throws a CommandFault. */
export function parseTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const time = isTime ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new CommandFault(`Expected a time such as 2026-01-31T12:00:00Z after --at, not '${text}'.`)
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Milliseconds of a duration such as `1h`; undefined where it is not given. Throws a CommandFault. */
export function parseInterval(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, count, unit = ''] = /^([1-9]\d{0,4})([smhd])$/.exec(text) ?? []
  const seconds = units[unit]
  if (seconds !== undefined) return Number(count) * seconds * 1000
  throw new CommandFault(`Expected a duration such as 30s, 15m, 1h or 7d after --${flag}, not '${text}'.`)
}

/** The place or backup that the word names, or RESTWELL_BACKUPS without one. Throws a CommandFault or a StoreOpenError. */
export function findSource(
  [from, ...more]: readonly string[],
  { place, complete }: BackupEnvironment,
  example: string,
): BackupSource {
  const named = from === undefined ? place : complete(from)
  if (named !== undefined && more.length === 0) return openBackupSource(named)
  throw new CommandFault(`Expected a folder, an s3:// URL or a backup, such as: ${example}`)
}

/** The number of files of a backup, after that of its rows; empty where it has none. */
export function formatFiles({ files = [] }: Pick<Backup, 'files'>): string {
  if (files.length === 0) return ''
  return files.length === 1 ? ' and 1 file' : ` and ${files.length} files`
}
