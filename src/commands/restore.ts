/** `restwell restore`: restores a backup into a database. */

import { chooseBackup } from '../operation/backup/backup-list.ts'
import { locateBackup } from '../operation/backup/backup-place.ts'
import { restoreBackup } from '../operation/backup/restore-backup.ts'
import { printLine } from '../operation/command-frame/account-command.ts'
import type { Command } from '../operation/command-frame/command.ts'
import { withoutPassword } from '../store/postgres/connection/database-url.ts'
import { type BackupCommand, findSource, formatFiles, parseTime, runBackupCommand } from './backup-command.ts'
import { createProgressDisplay, formatRows } from './transfer/progress-display.ts'

export const restore: Command = {
  usage: 'FOLDER|FILE|s3://BUCKET [--at TIME] [--force] [--database URL]',
  summary:
    'Restores the newest backup, or the newest one at or before a time. --force overwrites a SQLite file.',
  run: (args) => runBackupCommand(args, { values: ['at'], switches: ['force'] }, runRestore),
}

async function runRestore({ config, environment, encoding }: BackupCommand): Promise<void> {
  const { database, switches, files: url } = config
  const time = parseTime(config.values.at?.at(-1))
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
    const { backup, rows } = await restoreBackup(
      {
        stored,
        encoding,
        report,
        async restoreFiles(restored, chunks) {
          const { openFileStore, restoreFiles } = await import('../features/files/content/open-file-store.ts')
          const { store } = await openFileStore({ url, database })
          await restoreFiles({ file, backup: restored }, chunks, store)
        },
      },
      { database, existing },
    )
    display.end()
    printLine(
      `Restored ${formatRows(rows)}${formatFiles(backup)} of ${backup.at} from ${file}, and compared them.`,
    )
    printLine(`Serve them with --database '${withoutPassword(database)}'`)
  } finally {
    display.end()
  }
}
