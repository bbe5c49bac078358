/** `restwell restore`: restores a backup into a database. */

import { chooseBackup } from '../store/backup/backup-folder.ts'
import { restoreBackup } from '../store/backup/restore-backup.ts'
import { withoutPassword } from '../store/postgres/connection/database-url.ts'
import { printLine } from './account-command.ts'
import {
  type BackupCommand,
  formatFiles,
  parseTime,
  requireLocalFolder,
  runBackupCommand,
} from './backup-command.ts'
import { type Command, CommandFault } from './command.ts'
import { createProgressDisplay, formatRows } from './transfer/progress-display.ts'

export const restore: Command = {
  usage: 'FOLDER|FILE [--at TIME] [--force] [--database URL]',
  summary:
    'Restores the newest backup, or the newest one at or before a time. --force overwrites a SQLite file.',
  run: (args) => runBackupCommand(args, { values: ['at'], switches: ['force'] }, runRestore),
}

async function runRestore({ config, environment, sealing }: BackupCommand): Promise<void> {
  const [from = environment.folder, ...more] = config.words
  if (from === undefined || more.length > 0) {
    throw new CommandFault('Expected a folder or a backup, such as: restwell restore backups')
  }
  const { database, switches, files: url } = config
  const file = await chooseBackup(requireLocalFolder(from), parseTime(config.values.at?.at(-1)))
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
        file,
        sealing,
        report,
        async restoreFiles(restored, chunks) {
          const { openFileStore, restoreFiles } = await import('../files/open-file-store.ts')
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
