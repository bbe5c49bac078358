/** `restwell export`: writes all items of a collection to a CSV or NDJSON file that `restwell import` reads. */

import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { system } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { findFileModel } from '../definition/file-fields.ts'
import type { ResourceModel } from '../definition/model.ts'
import { systemFields } from '../definition/system-fields.ts'
import { csv } from '../formats/csv.ts'
import { ndjson } from '../formats/ndjson.ts'
import {
  type DatabaseContext,
  printLine,
  runDatabaseAction,
} from '../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { always } from '../store/condition.ts'
import type { Store } from '../store/store.ts'
import { rowBatches } from '../store/table-rows.ts'
import { createItemView } from '../views/item-view.ts'
import type { ItemView, StreamView } from '../views/view.ts'
import { createFieldSelector } from '../views/visible-fields.ts'
import { type ExportedFiles, exportFiles } from './transfer/export-files.ts'
import { findCollection } from './transfer/find-collection.ts'
import { openCommandFiles } from './transfer/open-command-files.ts'
import { createProgressDisplay, formatRate, formatRows } from './transfer/progress-display.ts'
import { formatOf } from './transfer/source-record.ts'

export const exportItems: Command = {
  usage: 'COLLECTION FILE.csv|FILE.ndjson [--files FOLDER] [--service service.ts] [--database URL]',
  summary:
    'Writes all items of a collection to a file, without passwords and computed fields; --files writes their files too.',
  run: (args, load) => runDatabaseAction('export', { args, load }, { values: ['files'] }, runExport),
}

async function runExport({ config, model, store }: DatabaseContext, words: readonly string[]): Promise<void> {
  const { resource, file } = findCollection(model, words, 'export tasks tasks.csv')
  const total = await store.count(resource.name, always)
  const began = performance.now()
  const display = createProgressDisplay('Exported')
  let rows = 0
  const files = await openExportedFiles(config, file)
  const view = streamOf({ store, files }, resource, (count) => {
    rows += count
    display.show({ rows, share: total === 0 ? 1 : Math.min(1, rows / total) })
  })
  const format = formatOf(file) === 'csv' ? csv : ndjson
  try {
    // Both formats stream collections.
    await writeFile(file, format.stream?.(view) as AsyncIterable<string>)
  } finally {
    display.end()
  }
  const rate = formatRate(rows, performance.now() - began)
  printLine(`Exported ${formatRows(rows)} from ${resource.name} to ${file}, ${rate}.`)
}

/** Undefined where no folder is named: then files are left out. */
async function openExportedFiles(
  config: DatabaseContext['config'],
  file: string,
): Promise<ExportedFiles | undefined> {
  const folder = config.values.files
  if (folder === undefined) return undefined
  if (formatOf(file) === 'csv') throw new CommandFault('--files needs a file that ends in .ndjson.')
  return { store: await openCommandFiles(config), folder }
}

/** All items in the order of their identity, which is that of their creation. */
function streamOf(
  { store, files }: { readonly store: Store; readonly files: ExportedFiles | undefined },
  resource: ResourceModel,
  onRows: (count: number) => void,
): StreamView {
  const fields = resource.fields.filter((field) => files !== undefined || !findFileModel(field))
  const chosen = new Set([...fields, ...systemFields.values()])
  const selector = createFieldSelector(rightsOf(resource, system), 'item', chosen)
  const shown = selector.selectFields(() => true)
  async function* batches(): AsyncGenerator<readonly ItemView[]> {
    for await (const rows of rowBatches(store, resource)) {
      const items = rows.map((row) => createItemView(row, selector, () => true))
      yield files ? await Array.fromAsync(items, (item) => exportFiles(files, item)) : items
      onRows(rows.length)
    }
  }
  return { kind: 'stream', resource, fields: [...shown.fields, ...shown.times], batches: batches() }
}

/** The file has another name until it is complete, so that a failed export replaces nothing. */
async function writeFile(file: string, parts: AsyncIterable<string>): Promise<void> {
  const partial = `${file}.partial`
  try {
    await rm(partial, { force: true })
    await pipeline(parts, createWriteStream(partial, { mode: 0o600, flush: true }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    // Errors of the file system have a code, those of the database have none.
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw new CommandFault(`Cannot write ${file}: ${error.message}.`, { cause: error })
  }
}
