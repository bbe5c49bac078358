/**
 * Applies writes as statements that both drivers run. An update returns one row for each changed
 * row. The driver throws a ConstraintViolation into the generator where a constraint fails.
 */

import { IDENTITY, type Stored, UPDATED_AT, VERSION } from '../../definition/model.ts'
import type { RecordWrite } from '../audit.ts'
import type { Condition } from '../condition.ts'
import type { Row } from '../row.ts'
import { hasMembers } from '../schema/join-tables.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { splitWords } from '../search-words.ts'
import type { InsertWrite, ReplaceWrite, Write, WriteOutcome, WriteRefusal } from '../store.ts'
import { eventTableOf } from './audit-sql.ts'
import { formatChange } from './change-log-sql.ts'
import { checkUnchanged, requireRow, storeResponse } from './check-writes.ts'
import { deleteCascade } from './delete-cascade.ts'
import { hasKeyColumn, loadId, recordFormerId } from './former-ids.ts'
import { insertMembers, replaceMembers } from './member-writes.ts'
import { referenceTargetsStatement } from './reference-targets.ts'
import { repeatRead } from './repeat-reads.ts'
import { columnIndex, knownTable } from './sql-text.ts'
import { ConstraintViolation, type StatementProgram, type WriteContext } from './statement-program.ts'
import { conditionAfterStatement, conditionBeforeStatement } from './write-sql.ts'

/** Applies the writes in order; stops at the first refusal. */
export function* applyWrites(work: WriteContext, writes: readonly Write[]): StatementProgram<WriteOutcome> {
  let index = 0
  for (const write of writes) {
    const reason = yield* applyWrite(work, write)
    if (reason !== undefined) return { kind: 'refused', index, reason }
    index += 1
  }
  return { kind: 'done' }
}

function applyWrite(work: WriteContext, write: Write): StatementProgram<WriteRefusal | undefined> {
  switch (write.kind) {
    case 'insert':
      return applyInsert(work, write)
    case 'replace':
      return applyReplace(work, write)
    case 'remove':
      return deleteCascade(work, write)
    case 'expect':
      return checkUnchanged(work, write)
    case 'repeat':
      return repeatRead(work, write)
    case 'require':
      return requireRow(work, write)
    case 'response':
      return storeResponse(work, write)
    case 'record':
      return recordEvent(work, write)
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

function* applyInsert(work: WriteContext, write: InsertWrite): StatementProgram<WriteRefusal | undefined> {
  const table = knownTable(work.statements.schema, write.table)
  const { values, conditionAfter } = write
  if (!isAlways(conditionAfter) && !(yield* isSatisfied(work, table, values, conditionAfter)))
    return { kind: 'forbidden' }
  try {
    yield work.statements.insert(table, values)
    if (hasMembers(table)) yield* insertMembers(work, table, values)
  } catch (cause) {
    return yield* refusalFor(work, table, values, cause)
  }
  if (hasKeyColumn(table)) yield* recordFormerId(work, table, values, undefined)
  yield* recordChange(work, table, { kind: 'inserted', values })
  return undefined
}

/** The update itself checks version and condition; a second query finds the reason of a refusal. */
function* applyReplace(work: WriteContext, write: ReplaceWrite): StatementProgram<WriteRefusal | undefined> {
  const { identity, conditionAfter } = write
  const table = knownTable(work.statements.schema, write.table)
  const values = [...write.values]
  values[IDENTITY] = identity
  values[VERSION] = write.version + 1
  if (!isAlways(conditionAfter) && !(yield* isSatisfied(work, table, values, conditionAfter))) {
    return yield* findGuardRefusal(work, table, write)
  }
  const before = hasKeyColumn(table) ? yield* loadId(work, table, identity) : undefined
  let changed: readonly Row[]
  try {
    changed = yield work.statements.update(table, write, values)
    if (changed.length > 0 && hasMembers(table)) yield* replaceMembers(work, table, values)
  } catch (cause) {
    return yield* refusalFor(work, table, values, cause)
  }
  if (changed.length === 0) return yield* findGuardRefusal(work, table, write)
  if (hasKeyColumn(table)) yield* recordFormerId(work, table, values, before)
  const { previous, action } = write
  yield* recordChange(work, table, { kind: 'replaced', values, previous, action })
  return undefined
}

function isAlways({ kind }: Condition): boolean {
  return kind === 'always'
}

/** Checked before the row is written, so that a forbidden write reveals no duplicate. */
function* isSatisfied(
  work: WriteContext,
  table: Table,
  values: readonly Stored[],
  conditionAfter: Condition,
): StatementProgram<boolean> {
  const [answer] = yield conditionAfterStatement(work.statements, table, values, conditionAfter)
  return answer?.[0] === 1
}

/** Why a row was not changed. A wrong version is reported before the condition. */
function* findGuardRefusal(
  work: WriteContext,
  table: Table,
  write: ReplaceWrite,
): StatementProgram<WriteRefusal> {
  const [found] = yield conditionBeforeStatement(work.statements, { ...write, table })
  return { kind: found === undefined ? 'stale' : 'forbidden' }
}

function* refusalFor(
  work: WriteContext,
  table: Table,
  values: readonly Stored[],
  cause: unknown,
): StatementProgram<WriteRefusal> {
  if (!(cause instanceof ConstraintViolation)) throw cause
  if (cause.kind === 'unique') return { kind: 'duplicate', columns: cause.columns ?? [] }
  const columns = cause.columns ?? (yield* danglingColumns(work, table, values))
  return { kind: 'missing-reference', columns }
}

function* danglingColumns(
  work: WriteContext,
  table: Table,
  values: readonly Stored[],
): StatementProgram<readonly string[]> {
  const references = table.columns.flatMap((column: Column, at) => {
    const value = values[at] ?? null
    const target = column.references ?? column.members
    if (target === undefined || value === null) return []
    const kind = column.members ? ('set' as const) : ('one' as const)
    return [{ name: column.name, kind, table: target.table, value }]
  })
  const [found] = yield referenceTargetsStatement(work.statements, references)
  return references.filter((_, at) => found?.[at] === null).map(({ name }) => name)
}

/** A new row, or a changed one with its previous values. */
interface RowChange {
  readonly kind: 'inserted' | 'replaced'
  readonly values: readonly Stored[]
  readonly previous?: readonly Stored[]
  readonly action?: string | undefined
}

function* recordChange(
  work: WriteContext,
  table: Table,
  { kind, values, previous, action }: RowChange,
): StatementProgram<void> {
  if (table.isLogged) {
    yield work.statements.log({
      kind,
      action: action ?? null,
      table: table.name,
      identity: String(values[IDENTITY]),
      id: String(values[columnIndex(table, table.idColumn)]),
      version: Number(values[VERSION]),
      at: String(values[UPDATED_AT]),
      ...work.attribution,
      ...formatChange(table, previous, values),
    })
  }
  if (table.search.length > 0) yield* storeWords(work, table, values)
  work.changed.add(table.name)
}

function* storeWords(work: WriteContext, table: Table, values: readonly Stored[]): StatementProgram<void> {
  const texts = table.search.map((name) => values[columnIndex(table, name)] ?? '')
  const identity = String(values[IDENTITY])
  const { search } = work.statements.dialect
  yield* search.storeWords(table, identity, splitWords(texts.join('\n')))
}
