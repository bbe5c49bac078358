/**
 * Deletes a row and applies `onDelete` to the rows that refer to it: `cascade` deletes them,
 * `clear` empties their reference, `restrict` refuses the deletion.
 */

import type { Column, Table } from '../schema/table-schema.ts'
import type { DeleteWrite, ReferringRow, WriteRefusal } from '../write.ts'
import { type Deletion, logClearedStatement, logRemovedStatement } from './cascade-log-sql.ts'
import { clearStatement } from './clear-references-sql.ts'
import { deleteFormerIdsStatement } from './former-ids.ts'
import { noteLastRows } from './last-row.ts'
import { knownColumn, knownTable } from './sql-text.ts'
import {
  addChange,
  ConstraintViolation,
  type StatementProgram,
  type WriteContext,
} from './statement-program.ts'
import {
  conditionBeforeStatement,
  deleteElementsStatement,
  deleteStatement,
  identitiesStatement,
  type RowSelection,
  tombstonesStatement,
} from './write-sql.ts'

/** How many rows one deletion may cascade to. */
export const maxCascadeRows = 1000
/** How many referring rows a refusal names. */
export const maxReferringRows = 100

/** Returns why the deletion is refused; undefined where it was done. */
export function* deleteCascade(
  context: WriteContext,
  write: DeleteWrite,
): StatementProgram<WriteRefusal | undefined> {
  const table = knownTable(context.statements.schema, write.table)
  const [found] = yield conditionBeforeStatement(context.statements, { ...write, table })
  if (found === undefined) return { kind: 'stale' }
  if (found[0] !== 1) return { kind: 'forbidden' }

  const deleted = yield* findCascade(context, table, write.identity)
  if (deleted === undefined) return { kind: 'too-many', limit: maxCascadeRows }
  const by = yield* findReferringRows(context, deleted)
  if (by.length > 0) return { kind: 'referenced', by }

  if (yield* hasUnplannedRow(context, deleted, write.clearedTables ?? [])) return { kind: 'stale' }
  yield* noteLastRows(context, deleted)
  try {
    const deletion = { at: write.at, ...context.attribution }
    yield* clearReferences(context, deleted, deletion)
    yield* deleteRows(context, deleted, deletion)
  } catch (cause) {
    // Tables outside the definition may refer to it: of a newer node or another program.
    if (!(cause instanceof ConstraintViolation) || cause.kind !== 'reference') throw cause
    return { kind: 'referenced', by: yield* findReferringRows(context, deleted) }
  }
  return undefined
}

/** The identities to delete, by table. */
type DeletedRows = Map<Table, Set<string>>

/** The row and all rows it cascades to, directly or not; undefined beyond the limit. */
function* findCascade(
  context: WriteContext,
  root: Table,
  identity: string,
): StatementProgram<DeletedRows | undefined> {
  const deleted: DeletedRows = new Map([[root, new Set([identity])]])
  let frontier: [Table, string[]][] = [[root, [identity]]]
  let room = maxCascadeRows
  while (frontier.length > 0) {
    const next: [Table, string[]][] = []
    for (const [target, within] of frontier) {
      for (const reference of referencesTo(context, target, 'cascade')) {
        const seen = deleted.get(reference.table) ?? new Set()
        deleted.set(reference.table, seen)
        const rows = { ...reference, within, except: [...seen] }
        const found = yield identitiesStatement(context.statements, rows, room + 1)
        if (found.length > room) return undefined
        room -= found.length
        const fresh = found.map(([one]) => String(one))
        for (const one of fresh) seen.add(one)
        if (fresh.length > 0) next.push([reference.table, fresh])
      }
    }
    frontier = next
  }
  return new Map([...deleted].filter(([, identities]) => identities.size > 0))
}

interface Reference {
  readonly table: Table
  readonly column: Column
}

function referencesTo(
  context: WriteContext,
  target: Table,
  onDelete: 'restrict' | 'cascade' | 'clear',
): Reference[] {
  return Object.values(context.statements.schema.tables).flatMap((table) =>
    table.columns
      .filter(({ references, elements }) => {
        const to = references ?? elements
        return to?.table === target.name && to.onDelete === onDelete
      })
      .map((column) => ({ table, column })),
  )
}

function* findReferringRows(
  context: WriteContext,
  deleted: DeletedRows,
): StatementProgram<readonly ReferringRow[]> {
  const by: ReferringRow[] = []
  for (const rows of referringSelections(context, deleted, 'restrict')) {
    if (by.length === maxReferringRows) break
    const found = yield identitiesStatement(context.statements, rows, maxReferringRows - by.length)
    for (const [identity] of found) {
      by.push({ table: rows.table.name, column: rows.column.name, identity: String(identity) })
    }
  }
  return by
}

/** For each reference of that kind, the remaining rows that refer to a deleted one. */
function referringSelections(
  context: WriteContext,
  deleted: DeletedRows,
  onDelete: 'restrict' | 'clear',
): RowSelection[] {
  return [...deleted].flatMap(([target, identities]) =>
    referencesTo(context, target, onDelete).map((reference) => ({
      ...reference,
      within: [...identities],
      except: [...(deleted.get(reference.table) ?? [])],
    })),
  )
}

/** Whether a row of a planned table still refers to a deleted one, so that its reference would be cleared. */
function* hasUnplannedRow(
  context: WriteContext,
  deleted: DeletedRows,
  planned: readonly string[],
): StatementProgram<boolean> {
  if (planned.length === 0) return false
  const selections = referringSelections(context, deleted, 'clear')
  return yield* hasAnyRow(
    context,
    selections.filter(({ table }) => planned.includes(table.name)),
  )
}

function* clearReferences(
  context: WriteContext,
  deleted: DeletedRows,
  deletion: Deletion,
): StatementProgram<void> {
  const byTable = Map.groupBy(referringSelections(context, deleted, 'clear'), ({ table }) => table)
  for (const [table, rows] of byTable) {
    const [first, ...others] = rows
    if (first === undefined || !(yield* hasAnyRow(context, rows))) continue
    const isPublic = yield* hasAnyRow(
      context,
      rows.filter(({ column }) => !column.restricted),
    )
    if (table.isLogged) yield logClearedStatement(context.statements, [first, ...others], deletion)
    yield clearStatement(context.statements, [first, ...others], deletion.at)
    for (const one of rows) {
      if (one.column.elements) yield deleteElementsStatement(context.statements, one)
    }
    addChange(context.changed, table.name, isPublic)
  }
}

/** The revision of a table increases only where a row changes. */
function* hasAnyRow(context: WriteContext, several: readonly RowSelection[]): StatementProgram<boolean> {
  for (const rows of several) {
    const found = yield identitiesStatement(context.statements, rows, 1)
    if (found.length > 0) return true
  }
  return false
}

function* deleteRows(
  context: WriteContext,
  deleted: DeletedRows,
  deletion: Deletion,
): StatementProgram<void> {
  if (deleted.size === 1) return yield* deleteInTurn(context, deleted, deletion)
  // Rows of several tables may refer to each other, so that no order of deletions is valid.
  yield { sql: context.statements.dialect.deferReferences, values: [] }
  try {
    yield* deleteInTurn(context, deleted, deletion)
  } finally {
    yield { sql: context.statements.dialect.restoreReferences, values: [] }
  }
}

function* deleteInTurn(
  context: WriteContext,
  deleted: DeletedRows,
  deletion: Deletion,
): StatementProgram<void> {
  for (const [table, identities] of [...deleted].reverse()) {
    const rows: RowSelection = {
      table,
      column: knownColumn(table, '_identity'),
      within: [...identities],
    }
    if (table.isLogged) yield logRemovedStatement(context.statements, rows, deletion)
    if (table.tombstones) yield tombstonesStatement(context.statements, rows, deletion.at)
    yield deleteStatement(context.statements, rows)
    if (table.idColumn !== '_identity') {
      yield deleteFormerIdsStatement(context.statements, table, rows.within)
    }
    addChange(context.changed, table.name, true)
  }
}
