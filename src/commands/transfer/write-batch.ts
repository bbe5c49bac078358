/** Writes a batch of records in one transaction, with the mark of its last record: all of them, or none. */

import { randomUUIDv7 } from 'node:crypto'
import { system } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { IDENTITY, type ResourceModel, type Stored } from '../../definition/model.ts'
import { CommandFault } from '../../operation/command-frame/command.ts'
import { type ContentFault, Refusal } from '../../refusal.ts'
import type { Clock } from '../../requests/context/service-context.ts'
import { findRepeatedValues, findTakenValues } from '../../requests/write/bulk-unique-values.ts'
import { LogicFailure, type LogicRunner } from '../../requests/write/logic-runner.ts'
import { LostRace, type RetryLock, retryLostRaces } from '../../requests/write/lost-race.ts'
import type { FileImport } from '../../service/feature.ts'
import type { Attribution } from '../../store/change-log.ts'
import { always } from '../../store/condition.ts'
import type { Store } from '../../store/store.ts'
import type { InsertWrite, Write, WriteRefusal } from '../../store/write.ts'
import { type EncodingContext, encodeRecord } from './encode-record.ts'
import type { MarkedRecord } from './record-batches.ts'
import { type RecordFault, RecordFaults } from './source-record.ts'

export interface ImportContext {
  readonly store: Store
  readonly clock: Clock
  /** Undefined where the definition has no code. */
  readonly runner: LogicRunner | undefined
  readonly resource: ResourceModel
  readonly attribution: Attribution
  readonly keepsTimes: boolean
  readonly keepsStates: boolean
  /** Whether checks and hooks run. */
  readonly runsLogic: boolean
  /** Whether the folder of the files is named. */
  readonly hasFolder: boolean
  /** Undefined where the items have no files. */
  readonly files: FileImport | undefined
  /** The place of a member, given by its pointer, in messages. */
  placeOf(pointer: string): string
}

/** Milliseconds for the hooks of a batch, with all attempts. */
const turnTime = 60_000

/** Throws RecordFaults where a record cannot be imported; then none of the batch is. */
export function writeBatch(context: ImportContext, batch: readonly MarkedRecord[]): Promise<void> {
  const { resource, store } = context
  const lock: RetryLock = {
    milliseconds: turnTime,
    run: (milliseconds, work) => store.withNamedLock(resource.name, milliseconds, work),
  }
  return retryLostRaces(() => attempt(context, batch), runsHooks(context) ? lock : undefined)
}

/** Whether code runs for each record that may read and write other items. */
export function runsHooks({ resource, runsLogic }: ImportContext): boolean {
  return runsLogic && resource.logic?.before.create !== undefined
}

async function attempt(context: ImportContext, batch: readonly MarkedRecord[]): Promise<void> {
  const { resource, attribution, store } = context
  const encoded = await encodeBatch(context, batch)
  const { inserts, writes } = await runLogic(context, batch, encoded)
  const rights = rightsOf(resource, system)
  const placed = new Map([...inserts].map(([row, insert]) => [`/${row}`, insert]))
  const faults = [
    ...findRepeatedValues(rights, placed),
    ...(await findTakenValues(store, rights, placed)),
    ...(await findTakenIdentities(store, resource, named(batch, inserts))),
  ]
  if (faults.length > 0) throw toRecordFaults(context, batch, faults)
  const mark = (batch.at(-1) as MarkedRecord).mark
  const outcome = await store.write([...writes, progressWrite(mark)], attribution)
  if (outcome.kind === 'done') return
  const row = [...inserts.values()].findIndex((insert) => isSameRow(insert, writes[outcome.index]))
  throw refusalOf(context, batch, { row, reason: outcome.reason })
}

/** By the index of the record in the batch. */
type Inserts = ReadonlyMap<number, InsertWrite>

async function encodeBatch(context: ImportContext, batch: readonly MarkedRecord[]): Promise<Inserts> {
  const { resource, keepsTimes, keepsStates, store, clock, files } = context
  const now = new Date(clock.now()).toISOString()
  const hooks = runsHooks(context)
  const namedVersion = await store.firstVersion(resource.name)
  const encoding = { store, resource, keepsTimes, keepsStates, files, runsHooks: hooks, now, namedVersion }
  const rows = await Promise.all(
    batch.map((record) => encodeOrFaults({ ...context, encoding, hooks }, record)),
  )
  const faults = rows.flatMap((row) => (row instanceof RecordFaults ? row.faults : []))
  if (faults.length > 0) throw new RecordFaults(faults)
  const loggedAt = keepsTimes ? now : undefined
  const insertOf = (values: readonly Stored[]): InsertWrite => ({
    kind: 'insert',
    table: resource.name,
    values,
    conditionAfter: always,
    loggedAt,
  })
  return new Map(rows.map((values, row) => [row, insertOf(values as readonly Stored[])]))
}

/** Checks run here, unless hooks follow: then they run with the hooks. */
async function encodeOrFaults(
  context: ImportContext & { readonly encoding: EncodingContext; readonly hooks: boolean },
  record: MarkedRecord,
): Promise<readonly Stored[] | RecordFaults> {
  const { resource, runsLogic, encoding, hooks, store, runner } = context
  return faultsOf(context, record, async () => {
    const values = await encodeRecord(encoding, record.body)
    if (runsLogic && !hooks && resource.logic)
      await runner?.requireChecks(store, system, { resource, values })
    return values
  })
}

/** The result of the work, or the faults that it refuses the record for. */
async function faultsOf<Result>(
  context: ImportContext,
  { line }: MarkedRecord,
  work: () => Promise<Result>,
): Promise<Result | RecordFaults> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LogicFailure)
      throw new CommandFault(`Line ${line}: ${error.message}`, { cause: error })
    if (!(error instanceof Refusal)) throw error
    const faults = error.options.errors ?? [{ pointer: '', detail: error.options.detail ?? error.message }]
    return new RecordFaults(
      faults.map(({ pointer, detail }) => ({ line, place: context.placeOf(pointer), detail })),
    )
  }
}

/** The inserts after their hooks, and all writes: each hook sees the items before its own. */
async function runLogic(
  context: ImportContext,
  batch: readonly MarkedRecord[],
  encoded: Inserts,
): Promise<{ readonly inserts: Inserts; readonly writes: readonly Write[] }> {
  const { runner } = context
  if (!runner || !runsHooks(context)) return { inserts: encoded, writes: [...encoded.values()] }
  const { resource, store } = context
  const run = runner.begin(store, { caller: system, requestId: randomUUIDv7() })
  const inserts = new Map<number, InsertWrite>()
  const faults: RecordFault[] = []
  for (const [row, insert] of encoded) {
    const { values, conditionAfter, loggedAt } = insert
    const stored = await faultsOf(context, batch[row] as MarkedRecord, () =>
      run.insert({ resource, values, conditionAfter, loggedAt }),
    )
    if (stored instanceof RecordFaults) faults.push(...stored.faults)
    else inserts.set(row, { ...insert, values: stored })
  }
  if (faults.length > 0) throw new RecordFaults(faults)
  return { inserts, writes: run.writes }
}

/** The identities that records name, by the index of the record. */
function named(batch: readonly MarkedRecord[], inserts: Inserts): ReadonlyMap<number, string> {
  const withId = [...inserts].filter(([row]) => Object.hasOwn(batch[row]?.body as object, 'id'))
  return new Map(withId.map(([row, { values }]) => [row, String(values[IDENTITY])]))
}

/** The faults of records whose `id` an item or an earlier record has. */
async function findTakenIdentities(
  store: Store,
  { name, keyField }: ResourceModel,
  identities: ReadonlyMap<number, string>,
): Promise<readonly ContentFault[]> {
  if (keyField) return []
  const earlier = new Map([...identities].toReversed().map(([row, identity]) => [identity, row]))
  const faults = [...identities].map(async ([row, value]): Promise<readonly ContentFault[]> => {
    const pointer = `/${row}/id`
    if (earlier.get(value) !== row)
      return [{ pointer, rule: 'unique', detail: 'An earlier row has this value.' }]
    const found = await store.find({ table: name, column: '_identity', value, evaluated: [] })
    return found ? [{ pointer, rule: 'unique', detail: 'This value is already taken.' }] : []
  })
  return (await Promise.all(faults)).flat()
}

/** Faults with pointers such as `/3/email`, by line. */
function toRecordFaults(
  { placeOf }: ImportContext,
  batch: readonly MarkedRecord[],
  faults: readonly ContentFault[],
): RecordFaults {
  const placed = faults.map(({ pointer, detail }) => {
    const [, row = '', ...rest] = pointer.split('/')
    const { line } = batch[Number(row)] as MarkedRecord
    return { line, place: placeOf(rest.length === 0 ? '' : `/${rest.join('/')}`), detail }
  })
  return new RecordFaults(placed.toSorted((a, b) => a.line - b.line))
}

function isSameRow({ table, values }: InsertWrite, write: Write | undefined): boolean {
  return write?.kind === 'insert' && write.table === table && write.values[IDENTITY] === values[IDENTITY]
}

interface RefusedRow {
  /** Its index in the batch; -1 for a write of a hook. */
  readonly row: number
  readonly reason: WriteRefusal
}

/** Another program has written since the batch was checked. */
function refusalOf(
  context: ImportContext,
  batch: readonly MarkedRecord[],
  { row, reason }: RefusedRow,
): Error {
  if (reason.kind === 'response-exists') {
    return new CommandFault('Another run imports the same records now. Wait until it has ended.')
  }
  if (reason.kind === 'last-row') {
    return new CommandFault(
      'A hook would remove the last administrator. Give the role to another account first.',
    )
  }
  if (!('columns' in reason) || row < 0) return new LostRace()
  const detail = reason.kind === 'duplicate' ? 'This value is already taken.' : 'There is no such item.'
  const faults = reason.columns.map((name) => ({ pointer: `/${row}/${name}`, rule: reason.kind, detail }))
  return toRecordFaults(context, batch, faults)
}

const progressName = (mark: string) => `import ${mark}`

/** Milliseconds for which an interrupted import can be continued. */
const progressTime = 30 * 24 * 3600 * 1000

/** The mark is stored with the rows, as the response to a request with an Idempotency-Key is. */
function progressWrite(mark: string): Write {
  const now = Date.now()
  return {
    kind: 'response',
    name: progressName(mark),
    fingerprint: 'import',
    text: '',
    now,
    until: now + progressTime,
  }
}

/** Whether an earlier run has stored the mark. */
export async function isMarkStored(store: Store, mark: string): Promise<boolean> {
  return (await store.findStoredResponse(progressName(mark), Date.now())) !== undefined
}
