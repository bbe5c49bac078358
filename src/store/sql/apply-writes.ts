/**
 * Applies writes as statements that both drivers run. An update returns one row for each changed
 * row. The driver throws a ConstraintViolation into the generator where a constraint fails.
 */

import { IDENTITY, PUBLIC_VERSION, type Stored, UPDATED_AT, VERSION } from '../../definition/model.ts'
import type { RecordWrite } from '../audit-chain.ts'
import type { Attribution } from '../change-log.ts'
import type { Condition } from '../condition.ts'
import { isAlwaysTrue } from '../condition.ts'
import type { Row } from '../row.ts'
import { hasRefs } from '../schema/join-table-schema.ts'
import { type Column, type Table, withInitialValues } from '../schema/table-schema.ts'
import { splitWords } from '../search-words.ts'
import type { InsertWrite, UpdateWrite, Write, WriteOutcome, WriteRefusal } from '../write.ts'
import { eventTableOf } from './audit-sql.ts'
import { formatAttribution, formatChange } from './change-log-sql.ts'
import { checkUnchanged, requireRow, storeResponse } from './check-writes.ts'
import { deleteCascade } from './delete-cascade.ts'
import { insertElements, replaceElements } from './element-writes.ts'
import { hasKeyColumn, loadId, recordFormerId } from './former-ids.ts'
import { hasLastRow, mayTakeLastRow } from './last-row.ts'
import { referenceTargetsStatement } from './reference-targets.ts'
import { repeatRead } from './repeat-reads.ts'
import { columnIndex, findColumnIndex, knownTable } from './sql-text.ts'
import {
  addChange,
  ConstraintViolation,
  type StatementProgram,
  type WriteContext,
} from './statement-program.ts'
import { conditionAfterStatement, conditionBeforeStatement } from './write-sql.ts'

/** Applies the writes in order; stops at the first refusal. The last row is judged after the last change. */
export function* applyWrites(
  context: WriteContext,
  writes: readonly Write[],
): StatementProgram<WriteOutcome> {
  const lastChange = writes.findLastIndex(isChange)
  let takesLastRow = -1
  for (const [index, write] of writes.entries()) {
    const known = context.lastRows.size
    const reason = yield* applyWrite(context, write)
    if (reason !== undefined) return { kind: 'refused', index, reason }
    if (context.lastRows.size > known) takesLastRow = index
    if (index !== lastChange || takesLastRow === -1) continue
    if (!(yield* hasLastRow(context))) {
      return { kind: 'refused', index: takesLastRow, reason: { kind: 'last-row' } }
    }
  }
  return { kind: 'done' }
}

function isChange({ kind }: Write): boolean {
  return kind === 'insert' || kind === 'update' || kind === 'delete'
}

function applyWrite(context: WriteContext, write: Write): StatementProgram<WriteRefusal | undefined> {
  switch (write.kind) {
    case 'insert':
      return applyInsert(context, write)
    case 'update':
      return applyUpdate(context, write)
    case 'delete':
      return deleteCascade(context, write)
    case 'expect':
      return checkUnchanged(context, write)
    case 'repeat':
      return repeatRead(context, write)
    case 'require':
      return requireRow(context, write)
    case 'response':
      return storeResponse(context, write)
    case 'record':
      return recordEvent(context, write)
  }
}

/** An entry of the change log without a row. */
function* recordEvent(
  { statements, attribution }: WriteContext,
  { event, table, identity, id, at }: RecordWrite,
): StatementProgram<undefined> {
  const values = { before: null, after: null, action: null, version: 0 }
  yield statements.log({
    kind: event,
    table: eventTableOf(table),
    identity,
    id,
    at,
    ...values,
    ...attribution,
  })
  return undefined
}

function* applyInsert(context: WriteContext, write: InsertWrite): StatementProgram<WriteRefusal | undefined> {
  const table = knownTable(context.statements.schema, write.table)
  const { conditionAfter } = write
  const values = withInitialValues(table, write.values)
  if (!isAlwaysTrue(conditionAfter) && !(yield* isSatisfied(context, table, values, conditionAfter)))
    return { kind: 'forbidden' }
  try {
    yield context.statements.insert(table, values)
    if (hasRefs(table)) yield* insertElements(context, table, values)
  } catch (cause) {
    return yield* toWriteRefusal(context, table, values, cause)
  }
  if (hasKeyColumn(table)) yield* recordFormerId(context, table, values, undefined)
  yield* recordChange(context, table, { kind: 'inserted', values, at: write.loggedAt })
  return undefined
}

/** The update itself checks version and condition; a second query finds the reason of a refusal. */
function* applyUpdate(context: WriteContext, write: UpdateWrite): StatementProgram<WriteRefusal | undefined> {
  const { identity, conditionAfter } = write
  const table = knownTable(context.statements.schema, write.table)
  const values = [...write.values]
  values[IDENTITY] = identity
  values[VERSION] = write.version + 1
  if (!isAlwaysTrue(conditionAfter) && !(yield* isSatisfied(context, table, values, conditionAfter))) {
    return yield* findUnchangedReason(context, table, write)
  }
  const before = hasKeyColumn(table) ? yield* loadId(context, table, identity) : undefined
  let changed: readonly Row[]
  try {
    changed = yield context.statements.update(table, write, values)
    if (changed.length > 0 && hasRefs(table)) yield* replaceElements(context, table, values)
  } catch (cause) {
    return yield* toWriteRefusal(context, table, values, cause)
  }
  if (changed.length === 0) return yield* findUnchangedReason(context, table, write)
  if (hasKeyColumn(table)) yield* recordFormerId(context, table, values, before)
  if (mayTakeLastRow(context.statements.schema, write)) context.lastRows.add(identity)
  const { previous, action, attribution } = write
  yield* recordChange(context, table, { kind: 'replaced', values, previous, action, attribution })
  return undefined
}

/** Checked before the row is written, so that a forbidden write reveals no duplicate. */
function* isSatisfied(
  context: WriteContext,
  table: Table,
  values: readonly Stored[],
  conditionAfter: Condition,
): StatementProgram<boolean> {
  const [result] = yield conditionAfterStatement(context.statements, table, values, conditionAfter)
  return result?.[0] === 1
}

/** Why a row was not changed. A wrong version is reported before the condition. */
function* findUnchangedReason(
  context: WriteContext,
  table: Table,
  write: UpdateWrite,
): StatementProgram<WriteRefusal> {
  const [found] = yield conditionBeforeStatement(context.statements, { ...write, table })
  return { kind: found === undefined ? 'stale' : 'forbidden' }
}

function* toWriteRefusal(
  context: WriteContext,
  table: Table,
  values: readonly Stored[],
  cause: unknown,
): StatementProgram<WriteRefusal> {
  if (!(cause instanceof ConstraintViolation)) throw cause
  if (cause.kind === 'unique') return { kind: 'duplicate', columns: cause.columns ?? [] }
  const columns = cause.columns ?? (yield* missingReferenceColumns(context, table, values))
  return { kind: 'missing-reference', columns }
}

function* missingReferenceColumns(
  context: WriteContext,
  table: Table,
  values: readonly Stored[],
): StatementProgram<readonly string[]> {
  const references = table.columns.flatMap((column: Column, at) => {
    const value = values[at] ?? null
    const target = column.references ?? column.elements
    if (target === undefined || value === null) return []
    const kind = column.elements ? ('set' as const) : ('one' as const)
    return [{ name: column.name, kind, table: target.table, value }]
  })
  const [found] = yield referenceTargetsStatement(context.statements, references)
  return references.filter((_, at) => found?.[at] === null).map(({ name }) => name)
}

/** A new row, or a changed one with its previous values. */
interface RowChange {
  readonly kind: 'inserted' | 'replaced'
  readonly values: readonly Stored[]
  readonly previous?: readonly Stored[]
  readonly action?: string | undefined
  /** By default that of the transaction. */
  readonly attribution?: Attribution | undefined
  /** By default the `updatedAt` of the row. */
  readonly at?: string | undefined
}

function* recordChange(
  context: WriteContext,
  table: Table,
  { kind, values, previous, action, attribution, at }: RowChange,
): StatementProgram<void> {
  if (table.isLogged) {
    yield context.statements.log({
      kind,
      action: action ?? null,
      table: table.name,
      identity: String(values[IDENTITY]),
      id: String(values[columnIndex(table, table.idColumn)]),
      version: Number(values[VERSION]),
      at: at ?? String(values[UPDATED_AT]),
      ...(attribution ? formatAttribution(attribution) : context.attribution),
      ...formatChange(table, previous, values),
    })
  }
  if (table.search.length > 0) yield* storeWords(context, table, values)
  addChange(context.changed, table.name, isPublicChange(table, values, previous))
}

/** Whether every reader of the row sees the change that gave it these values. */
function isPublicChange(table: Table, values: readonly Stored[], previous?: readonly Stored[]): boolean {
  const at = findColumnIndex(table, PUBLIC_VERSION)
  return at === undefined || values[at] !== previous?.[at]
}

function* storeWords(context: WriteContext, table: Table, values: readonly Stored[]): StatementProgram<void> {
  const texts = table.search.map((name) => values[columnIndex(table, name)] ?? '')
  const identity = String(values[IDENTITY])
  const { search } = context.statements.dialect
  yield* search.storeWords(table, identity, splitWords(texts.join('\n')))
}
