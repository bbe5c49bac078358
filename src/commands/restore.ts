/** `restwell restore`: restores a backup into a database. */

import { chooseBackup } from '../operation/backup/backup-list.ts'
import { locateBackup } from '../operation/backup/backup-place.ts'
import { restoreBackup } from '../operation/backup/restore-backup.ts'
import { printLine } from '../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { withoutPassword } from '../store/postgres/connection/database-url.ts'
import { type BackupCommand, findSource, formatFiles, parseTime, runBackupCommand } from './backup-command.ts'
import { openCommandFiles } from './transfer/open-command-files.ts'
import { createProgressDisplay, formatRows } from './transfer/progress-display.ts'

export const restore: Command = {
  usage: 'FOLDER|FILE|s3://BUCKET [--at TIME] [--force] [--database URL]',
  summary:
    'Restores the newest backup, or the newest one at or before a time. --force overwrites a SQLite file.',
  run: (args) => runBackupCommand(args, { values: ['at'], switches: ['force'] }, runRestore),
}

async function runRestore({ config, environment, encoding }: BackupCommand): Promise<void> {
  const { database, switches, files } = config
  const time = parseTime(config.values.at)
  const source = findSource(config.words, environment, 'restwell restore backups')
  const stored = await chooseBackup(source, time)
  const file = locateBackup(stored)
  const display = createProgressDisplay('Restored')
  const copied = new Map<string, number>()
  const report = (event: Parameters<Parameters<typeof restoreBackup>[0]['report']>[0]) => {
    if (event.kind === 'compared') return
    copied.set(event.table, event.rows)
    display.show({ rows: [...copied.values()].reduce((sum, rows) => sum + rows, 0), share: 0 })
  }
  const existing = switches.has('force') ? 'replace' : 'refuse'
  try {
    const { backup, rows, lackingFiles } = await restoreBackup(
      { stored, encoding, report, openFiles: () => openCommandFiles({ files, database }) },
      { database, existing },
    )
    display.end()
    printLine(
      `Restored ${formatRows(rows)}${formatFiles(backup)} of ${backup.at} from ${file}, and compared them.`,
    )
    printLine(`Serve them with --database '${withoutPassword(database)}'`)
    if (lackingFiles !== undefined) throw new CommandFault(formatLacking(lackingFiles))
  } finally {
    display.end()
  }
}

function formatLacking(files: string): string {
  const remedy = 'Put them there from another backup, or upload them again.'
  return `The backup lacks files that its rows name, and they are not in the place of files either. ${remedy}\n${files}`
}
