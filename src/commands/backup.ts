/** `restwell backup`: writes backups of a database that may be in use, and verifies them. */

import { setTimeout as pause } from 'node:timers/promises'
import { hasFiles } from '../definition/file-fields.ts'
import {
  chooseBackup,
  recordVerification,
  removeBackups,
  withLockedFolder,
} from '../store/backup/backup-folder.ts'
import { verifyBackup } from '../store/backup/restore-backup.ts'
import { type BackupOptions, type TakenBackup, takeBackup } from '../store/backup/take-backup.ts'
import { schemaOf } from '../store/schema/table-schema.ts'
import { printLine } from './account-command.ts'
import {
  type BackupCommand,
  formatFiles,
  parseInterval,
  parseTime,
  requireLocalFolder,
  runBackupCommand,
  toCommandFault,
} from './backup-command.ts'
import { type Command, CommandFault } from './command.ts'
import { loadDefinition } from './load-definition.ts'
import { formatRows } from './transfer/progress-display.ts'

export const backup: Command = {
  usage:
    '--to FOLDER [--every 1h] [--keep 7d] [--service service.ts] [--database URL] | verify FOLDER|FILE [--at TIME]',
  summary: 'Backs up the database while the service runs; verify restores a backup to try it.',
  run: (args) => runBackupCommand(args, { values: ['to', 'every', 'keep', 'at'], switches: [] }, runBackup),
}

async function runBackup(command: BackupCommand): Promise<void> {
  const { words, values } = command.config
  const [action] = words
  if (action === 'verify') return verify(command)
  if (action !== undefined) throw new CommandFault(`Unknown action '${action}'. Expected: verify.`)
  if (values.at) throw new CommandFault('--at is for backup verify and for restore.')
  const every = parseInterval('every', values.every?.at(-1))
  const keep = parseInterval('keep', values.keep?.at(-1))
  const folder = values.to?.at(-1) ?? command.environment.folder
  if (folder === undefined) throw new CommandFault('Expected a folder, such as: restwell backup --to backups')
  const { model } = await loadDefinition(command.config.file)
  const { sealing } = command
  const { database } = command.config
  const files = hasFiles(model) ? await openFiles(command.config) : undefined
  const options = { database, schema: schemaOf(model), folder: requireLocalFolder(folder), sealing, files }
  await backUpOnce(options, keep)
  if (every !== undefined) await repeat(every, () => backUpOnce(options, keep))
}

async function openFiles({ files: url, database }: BackupCommand['config']) {
  const { openFileStore } = await import('../files/open-file-store.ts')
  return (await openFileStore({ url, database })).store
}

async function backUpOnce(options: BackupOptions, keep: number | undefined): Promise<void> {
  const { folder, sealing } = options
  await withLockedFolder(folder, async () => {
    const began = performance.now()
    const taken = await takeBackup(options)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const removed =
      keep === undefined ? 0 : await removeBackups(folder, new Date(Date.now() - keep).toISOString(), sealing)
    for (const line of formatTaken(taken, { seconds, removed })) printLine(line)
  })
}

interface RunFigures {
  readonly seconds: string
  /** Backups that were too old. */
  readonly removed: number
}

function formatTaken(
  { file, backup, rows, omitted }: TakenBackup,
  { seconds, removed }: RunFigures,
): readonly string[] {
  const old = removed === 0 ? '' : ` Removed ${removed} old ${removed === 1 ? 'backup' : 'backups'}.`
  return [
    ...omitted.map((line) => `Not in the backup, because the definition lacks it: ${line}`),
    `Backed up ${formatRows(rows)}${formatFiles(backup)} to ${file} in ${seconds} s.${old}`,
  ]
}

/** Until SIGTERM or SIGINT. A failure is reported, and the next backup is taken at its time. */
async function repeat(interval: number, work: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort())
  for (let due = Date.now() + interval; !stop.signal.aborted; due += interval) {
    await pause(Math.max(0, due - Date.now()), undefined, { signal: stop.signal }).catch(() => undefined)
    if (stop.signal.aborted) return
    await work().catch((error) => {
      const fault = toCommandFault(error)
      if (!(fault instanceof CommandFault)) throw error
      process.stderr.write(`The backup failed. ${fault.message}\n`)
    })
    // After a suspended machine, backups that were missed are not made up for.
    due = Math.max(due, Date.now() - interval)
  }
}

async function verify({ config, environment, sealing }: BackupCommand): Promise<void> {
  const [, from = environment.folder, ...more] = config.words
  if (from === undefined || more.length > 0) {
    throw new CommandFault('Expected a folder or a backup, such as: restwell backup verify backups')
  }
  const file = await chooseBackup(requireLocalFolder(from), parseTime(config.values.at?.at(-1)))
  const { backup: restored, rows } = await verifyBackup({ file, sealing, report: () => undefined })
  await recordVerification(file, new Date().toISOString())
  printLine(`Verified ${file}: ${formatRows(rows)}${formatFiles(restored)} restored and compared.`)
}
