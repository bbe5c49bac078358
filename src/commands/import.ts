/** `restwell import`: creates the items of a CSV or NDJSON file, and continues where an earlier run stopped. */

import { statSync } from 'node:fs'
import { findFileModel } from '../definition/file-fields.ts'
import type { ResourceModel } from '../definition/model.ts'
import { withSuggestion } from '../definition/name-suggestion.ts'
import { systemFields } from '../definition/system-fields.ts'
import {
  type DatabaseContext,
  printLine,
  runDatabaseAction,
} from '../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { createCursorCodec } from '../query/cursor.ts'
import { Refusal } from '../refusal.ts'
import type { ImportedFiles } from '../service/feature.ts'
import { features } from '../service/features.ts'
import { loadFeatures } from '../service/loaded-features.ts'
import { scripts } from '../service/scripts.ts'
import { importWithoutLogic } from '../store/change-log.ts'
import { StoreUnavailable } from '../store/store.ts'
import { clockOf } from '../store/store-clock.ts'
import { findCollection } from './transfer/find-collection.ts'
import { openCommandFiles } from './transfer/open-command-files.ts'
import { formatPlace, openRecords } from './transfer/open-records.ts'
import { createProgressDisplay, formatRate, formatRows } from './transfer/progress-display.ts'
import { pendingBatches } from './transfer/record-batches.ts'
import { formatFaults, RecordFaults, type RecordSource } from './transfer/source-record.ts'
import { type ImportContext, isMarkStored, runsHooks, writeBatch } from './transfer/write-batch.ts'

const switches = ['keep-times', 'keep-states', 'no-logic']

export const importItems: Command = {
  usage:
    'COLLECTION FILE.csv|FILE.ndjson [--keep-times] [--keep-states] [--no-logic] [--files FOLDER] [--label TEXT] [--service service.ts] [--database URL]',
  summary: 'Creates the items of a file. Run it again to continue after an interruption.',
  run: (args, load) =>
    runDatabaseAction('import', { args, load }, { values: ['label', 'files'], switches }, runImport),
}

async function runImport(context: DatabaseContext, words: readonly string[]): Promise<void> {
  const { config, model } = context
  const { resource, file } = findCollection(model, words, 'import tasks tasks.csv')
  const size = sizeOf(file)
  const source = openRecords(file, resource, (names) => requireKnownColumns(config, resource, names))
  const importing = await createContext(context, resource, source)
  const began = performance.now()
  const counts = { imported: 0, skipped: 0 }
  const display = createProgressDisplay('Imported')
  try {
    const batches = pendingBatches(source.records, {
      resource,
      label: config.values.label ?? '',
      maxRecords: chooseMaxRecords(importing),
      isStored: (mark) => isMarkStored(context.store, mark),
      onSkipped: (records) => {
        counts.skipped += records
      },
    })
    let earlier: number | undefined
    for await (const batch of batches) {
      earlier ??= source.octetsUntil((batch[0]?.line ?? 1) - 1) / size
      await writeBatch(importing, batch)
      counts.imported += batch.length
      const share = source.octetsUntil(batch.at(-1)?.line ?? 0) / size
      display.show({ rows: counts.imported, share, earlier })
    }
  } catch (error) {
    display.end()
    throw toCommandFault(file, counts, error)
  }
  display.end()
  for (const line of formatResult(resource, counts, performance.now() - began)) printLine(line)
}

/** Records in one transaction. */
const maxRecords = 1000
/** Each hook may read and write, and sees what those before it have written. */
const maxHookRecords = 100

/** Each file is open while it is stored. */
const maxFileRecords = 20

function chooseMaxRecords(importing: ImportContext): number {
  if (importing.hasFolder) return maxFileRecords
  return runsHooks(importing) ? maxHookRecords : maxRecords
}

/** At least one octet, so that it can divide. */
function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new CommandFault(`There is no file ${file}.`)
  return Math.max(1, found.size)
}

async function createContext(
  { model, store, actor, config }: DatabaseContext,
  resource: ResourceModel,
  source: RecordSource,
): Promise<ImportContext> {
  const cursors = createCursorCodec(await store.loadSecret('cursor'))
  const clock = clockOf(store)
  const { code } = await loadFeatures(model)
  const codeTool = await code.createCodeTool?.({ model, store, clock })
  const context = { model, store, clock, cursors, observe: () => undefined, files: undefined, codeTool }
  const place = await openImportedFiles(config)
  const { openFileImport } = features.find((feature) => feature.openFileImport) ?? {}
  const runsLogic = !config.switches.has('no-logic')
  return {
    store,
    clock,
    runner: await scripts?.createRunner(context),
    resource,
    attribution: { actor: runsLogic ? actor : { name: importWithoutLogic } },
    keepsTimes: config.switches.has('keep-times'),
    keepsStates: config.switches.has('keep-states'),
    runsLogic,
    hasFolder: place !== undefined,
    files: resource.fields.some(findFileModel) ? await openFileImport?.(place) : undefined,
    placeOf: (pointer) => formatPlace(source, pointer),
  }
}

/** Undefined where no folder is named. Throws a CommandFault where it does not exist. */
async function openImportedFiles(config: DatabaseContext['config']): Promise<ImportedFiles | undefined> {
  const folder = config.values.files
  if (folder === undefined) return undefined
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandFault(`There is no folder ${folder}.`)
  return { store: await openCommandFiles(config), folder }
}

/** Refuses a header once, instead of each record below it. */
function requireKnownColumns(
  { switches }: DatabaseContext['config'],
  { fields, fieldByName, derived }: ResourceModel,
  names: readonly string[],
): void {
  const faults = names.flatMap((name, index) => {
    const place = `column ${index + 1} (${name})`
    const fault = (detail: string) => [{ line: 1, place, detail }]
    if (fieldByName.get(name)?.file) return fault('Files need an NDJSON file. Remove the column.')
    if (name === 'id' || fieldByName.has(name)) return []
    if (systemFields.has(name))
      return switches.has('keep-times') ? [] : fault('Use --keep-times to set it, or remove the column.')
    if (derived.some(({ field }) => field.name === name)) return fault('It is computed. Remove the column.')
    return fault(withSuggestion('There is no such field.', name, fields))
  })
  if (faults.length > 0) throw new RecordFaults(faults)
}

interface ImportCounts {
  imported: number
  skipped: number
}

function toCommandFault(file: string, counts: ImportCounts, error: unknown): unknown {
  const done = counts.imported + counts.skipped
  const stored = `${formatRows(done)} before that ${done === 1 ? 'is' : 'are'} imported.`
  if (error instanceof RecordFaults) {
    const next = 'Correct the file and run the same command again; it continues there.'
    return new CommandFault(`${formatFaults(file, error.faults)}\n${stored} ${next}`, { cause: error })
  }
  if (error instanceof StoreUnavailable || error instanceof Refusal) {
    const next = 'Run the same command again; it continues there.'
    return new CommandFault(`${error.message}\n${stored} ${next}`, { cause: error })
  }
  return error
}

function formatResult(
  { name }: ResourceModel,
  counts: ImportCounts,
  milliseconds: number,
): readonly string[] {
  const { imported, skipped } = counts
  const again = '--label TEXT imports them once more.'
  const before = `Skipped ${formatRows(skipped)} that an earlier run imported. ${again}`
  const rate = imported === 0 ? '' : `, ${formatRate(imported, milliseconds)}`
  return [...(skipped > 0 ? [before] : []), `Imported ${formatRows(imported)} into ${name}${rate}.`]
}
