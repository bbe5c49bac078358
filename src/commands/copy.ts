/** `restwell copy`: copies a database into another one, such as from SQLite to PostgreSQL. */

import { hasFiles } from '../definition/file-fields.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { type CopyConfig, readCopyConfig } from '../operation/configuration/config.ts'
import { loadDefinition } from '../service/load-definition.ts'
import { type CopyEvent, copyDatabase } from '../store/copy/copy-database.ts'
import { describeDamage, listNamedFiles, type NamedFile } from '../store/copy/named-files.ts'
import { withoutPassword } from '../store/postgres/connection/database-url.ts'
import { schemaOf } from '../store/schema/model-schema.ts'
import { formatRows } from './transfer/progress-display.ts'

export const copy: Command = {
  usage: 'FROM TO [--service service.ts] [--from-files URL] [--to-files URL]',
  summary: 'Copies a database into another one, such as from SQLite to PostgreSQL.',
  run: runCopy,
}

async function runCopy(args: readonly string[]): Promise<number> {
  const config = readCopyConfig(args)
  const { file, from, to } = config
  const { model } = await loadDefinition(file)
  const schema = schemaOf(model)
  const { rows, finishedBefore } = await copyDatabase({
    from,
    to,
    schema,
    report: createProgressPrinter(),
    // Before the rows that name them, as in a write.
    prepare: (origin) =>
      hasFiles(model) ? copyAllFiles(config, () => listNamedFiles(origin, schema)) : undefined,
  })
  process.stdout.write(
    finishedBefore === undefined
      ? `Copied ${formatRows(rows)}. Serve the copy with --database '${withoutPassword(to)}'\n`
      : `This copy was completed on ${finishedBefore}. Nothing to do.\n`,
  )
  return 0
}

async function copyAllFiles(
  { from, to, fromFiles, toFiles }: CopyConfig,
  named: () => AsyncIterable<NamedFile>,
): Promise<void> {
  const { copyFiles, openFileStore } = await import('../store/files/open-file-store.ts')
  const origin = await openFileStore({ url: fromFiles, database: from })
  const destination = await openFileStore({ url: toFiles, database: to })
  const { copied, damage } = await copyFiles(origin.store, destination.store, named())
  const damaged = await describeDamage(damage, named())
  if (damaged !== undefined) {
    const remedy = 'Name their place with FILES_URL or --from-files; else upload them again, and copy again.'
    throw new CommandFault(`Files are damaged or missing, so no row was copied. ${remedy}\n${damaged}`)
  }
  process.stdout.write(`copied ${copied === 1 ? '1 file' : `${copied} files`}\n`)
}

/** Milliseconds between two progress lines. */
const lineInterval = 1000

function createProgressPrinter(): (progress: CopyEvent) => void {
  let printedAt = performance.now()
  return (progress) => {
    const now = performance.now()
    const isComplete = progress.kind === 'compared' || progress.rows === progress.total
    if (!isComplete && now - printedAt < lineInterval) return
    printedAt = now
    process.stdout.write(`${formatProgress(progress)}\n`)
  }
}

function formatProgress(progress: CopyEvent): string {
  if (progress.kind === 'compared') {
    const { table, rows, checksum } = progress
    return `compared ${table}: ${formatRows(rows)}, sha256 ${checksum}`
  }
  const { table, rows, total } = progress
  return `copied ${table}: ${rows} of ${formatRows(total)}`
}
