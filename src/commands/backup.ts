/** `restwell backup`: writes backups of a database that may be in use, and verifies them. */

import { setTimeout as pause } from 'node:timers/promises'
import { hasFiles } from '../definition/file-fields.ts'
import { chooseBackup, recordVerification, removeBackups, withLock } from '../operation/backup/backup-list.ts'
import { type BackupPlace, locateBackup } from '../operation/backup/backup-place.ts'
import { openBackupPlace } from '../operation/backup/open-backup-place.ts'
import { verifyBackup } from '../operation/backup/restore-backup.ts'
import { type BackupOptions, type TakenBackup, takeBackup } from '../operation/backup/take-backup.ts'
import { printLine } from '../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { loadDefinition } from '../service/load-definition.ts'
import { schemaOf } from '../store/schema/model-schema.ts'
import { OperatorFault } from '../tools/operator-fault.ts'
import {
  type BackupCommand,
  findSource,
  formatFiles,
  parseInterval,
  parseTime,
  runBackupCommand,
  toOperatorFault,
} from './backup-command.ts'
import { openCommandFiles } from './transfer/open-command-files.ts'
import { formatRows } from './transfer/progress-display.ts'

export const backup: Command = {
  usage:
    '--to FOLDER|s3://BUCKET [--every 1h] [--keep 7d] [--service service.ts] [--database URL] | verify FOLDER|FILE|s3://BUCKET [--at TIME]',
  summary: 'Backs up the database while the service runs; verify restores a backup to try it.',
  run: (args) => runBackupCommand(args, { values: ['to', 'every', 'keep', 'at'] }, runBackup),
}

async function runBackup(command: BackupCommand): Promise<void> {
  const { words, values } = command.config
  const [action] = words
  if (action === 'verify') return verify(command)
  if (action !== undefined) throw new CommandFault(`Unknown action '${action}'. Expected: verify.`)
  if (values.at) throw new CommandFault('--at is for backup verify and for restore.')
  const every = parseInterval('every', values.every)
  const keep = parseInterval('keep', values.keep)
  const place = openTarget(command)
  const { model } = await loadDefinition(command.config.file)
  const { encoding } = command
  const { database } = command.config
  const files = hasFiles(model) ? await openCommandFiles(command.config) : undefined
  const options = { database, schema: schemaOf(model), place, encoding, files }
  const began = Date.now()
  const work = () => backUpOnce(options, keep)
  if (every === undefined) return work()
  await work().catch((error) => {
    // The next backups may find the files again.
    if (!(error instanceof DamagedFiles)) throw error
    reportFailure(error)
  })
  await repeat({ began, interval: every }, work)
}

/** The backup was taken, but files are damaged or missing. */
class DamagedFiles extends CommandFault {}

function openTarget({ config, environment }: BackupCommand): BackupPlace {
  const named = config.values.to
  const place = named === undefined ? environment.place : environment.complete(named)
  if (place !== undefined) return openBackupPlace(place)
  throw new CommandFault('Expected a folder or an s3:// URL, such as: restwell backup --to backups')
}

async function backUpOnce(options: BackupOptions, keep: number | undefined): Promise<void> {
  const { place, encoding } = options
  await withLock(place, async () => {
    const began = performance.now()
    const taken = await takeBackup(options)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const { damagedFiles } = taken
    // An older backup may have the files that are damaged now.
    const before =
      keep === undefined || damagedFiles !== undefined ? undefined : new Date(Date.now() - keep).toISOString()
    const removed = before === undefined ? 0 : await removeBackups(place, before, encoding)
    for (const line of formatTaken(taken, { seconds, removed })) printLine(line)
    if (damagedFiles !== undefined) throw new DamagedFiles(formatDamaged(damagedFiles))
  })
}

function formatDamaged(files: string): string {
  const remedy =
    'Set FILES_URL as for the service and mount its volume; else upload these files again, or take them from an older backup.'
  return `Files are damaged or missing. ${remedy} No older backup was removed.\n${files}`
}

interface RunFigures {
  readonly seconds: string
  /** Backups that were too old. */
  readonly removed: number
}

function formatTaken(
  { place, name, backup, rows, omitted }: TakenBackup,
  { seconds, removed }: RunFigures,
): readonly string[] {
  const old = removed === 0 ? '' : ` Removed ${removed} old ${removed === 1 ? 'backup' : 'backups'}.`
  return [
    ...omitted.map((line) => `Not in the backup, because the definition lacks it: ${line}`),
    `Backed up ${formatRows(rows)}${formatFiles(backup)} to ${place.locate(name)} in ${seconds} s.${old}`,
  ]
}

interface BackupSchedule {
  /** When the first backup began, which the interval counts from: its duration must not add to what can be lost. */
  readonly began: number
  readonly interval: number
}

/** Until SIGTERM or SIGINT. A failure is reported, and the next backup is taken at its time. */
async function repeat({ began, interval }: BackupSchedule, work: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort())
  for (let due = began + interval; !stop.signal.aborted; due += interval) {
    await pause(Math.max(0, due - Date.now()), undefined, { signal: stop.signal }).catch(() => undefined)
    if (stop.signal.aborted) return
    await work().catch(reportFailure)
    // After a suspended machine, backups that were missed are not made up for.
    due = Math.max(due, Date.now() - interval)
  }
}

function reportFailure(error: unknown): void {
  const fault = toOperatorFault(error)
  if (!(fault instanceof OperatorFault)) throw error
  process.stderr.write(`The backup failed. ${fault.message}\n`)
}

async function verify({ config, environment, encoding }: BackupCommand): Promise<void> {
  const time = parseTime(config.values.at)
  const source = findSource(config.words.slice(1), environment, 'restwell backup verify backups')
  const stored = await chooseBackup(source, time)
  const { backup: restored, rows } = await verifyBackup({ stored, encoding, report: () => undefined })
  await recordVerification(stored, new Date().toISOString())
  printLine(
    `Verified ${locateBackup(stored)}: ${formatRows(rows)}${formatFiles(restored)} restored and compared.`,
  )
}
