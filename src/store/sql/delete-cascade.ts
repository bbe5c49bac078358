/**
 * Removing a row and what hangs on it: rows that cascade go along, rows that clear lose their
 * reference, and a row that restricts, and is not itself going, keeps everything where it is.
 */

import type { Column, Table } from '../schema/table-schema.ts'
import type { ReferringRow, RemoveWrite, WriteRefusal } from '../store.ts'
import { deleteFormerIdsStatement } from './former-ids.ts'
import { knownColumn, knownTable } from './sql-text.ts'
import {
  ConstraintViolation,
  type StatementProgram,
  type WriteContext,
} from './statement-program.ts'
import {
  clearStatement,
  deleteStatement,
  guardStatement,
  identitiesStatement,
  logRowsStatement,
  type RowSelection,
  tombstonesStatement,
} from './write-sql.ts'

/** How many rows a removal takes along at most. */
export const maxCascadeRows = 1000
/** How many holders a refusal names at most. */
export const maxReferringRows = 100

export function* deleteCascade(
  work: WriteContext,
  write: RemoveWrite,
): StatementProgram<WriteRefusal | undefined> {
  const table = knownTable(work.statements.schema, write.table)
  const [found] = yield guardStatement(work.statements, { ...write, table })
  if (found === undefined) return { kind: 'stale' }
  if (found[0] !== 1) return { kind: 'forbidden' }

  const going = yield* findCascade(work, table, write.identity)
  if (going === undefined) return { kind: 'too-many', limit: maxCascadeRows }
  const by = yield* findReferringRows(work, going)
  if (by.length > 0) return { kind: 'referenced', by }

  try {
    yield* clearReferences(work, going, write.at)
    yield* deleteRows(work, going, write.at)
  } catch (cause) {
    // Tables that the definition does not know may refer to it: a newer node's, another program's.
    if (!(cause instanceof ConstraintViolation) || cause.kind !== 'reference') throw cause
    return { kind: 'referenced', by: yield* findReferringRows(work, going) }
  }
  return undefined
}

/** The identities that go, by table. */
type DeletedRows = Map<Table, Set<string>>

/** Everything that cascades from the row, in any number of steps; undefined past the limit. */
function* findCascade(
  work: WriteContext,
  root: Table,
  identity: string,
): StatementProgram<DeletedRows | undefined> {
  const going: DeletedRows = new Map([[root, new Set([identity])]])
  let frontier: [Table, string[]][] = [[root, [identity]]]
  let room = maxCascadeRows
  while (frontier.length > 0) {
    const next: [Table, string[]][] = []
    for (const [target, within] of frontier) {
      for (const reference of referencesTo(work, target, 'cascade')) {
        const seen = going.get(reference.table) ?? new Set()
        going.set(reference.table, seen)
        const rows = { ...reference, within, except: [...seen] }
        const found = yield identitiesStatement(work.statements, rows, room + 1)
        if (found.length > room) return undefined
        room -= found.length
        const fresh = found.map(([one]) => String(one))
        for (const one of fresh) seen.add(one)
        if (fresh.length > 0) next.push([reference.table, fresh])
      }
    }
    frontier = next
  }
  return new Map([...going].filter(([, identities]) => identities.size > 0))
}

interface Reference {
  readonly table: Table
  readonly column: Column
}

function referencesTo(
  work: WriteContext,
  target: Table,
  onDelete: 'restrict' | 'cascade' | 'clear',
): Reference[] {
  return Object.values(work.statements.schema.tables).flatMap((table) =>
    table.columns
      .filter(({ references }) => references?.table === target.name)
      .filter(({ references }) => references?.onDelete === onDelete)
      .map((column) => ({ table, column })),
  )
}

function* findReferringRows(
  work: WriteContext,
  going: DeletedRows,
): StatementProgram<readonly ReferringRow[]> {
  const by: ReferringRow[] = []
  for (const rows of referringSelections(work, going, 'restrict')) {
    if (by.length === maxReferringRows) break
    const found = yield identitiesStatement(work.statements, rows, maxReferringRows - by.length)
    for (const [identity] of found) {
      by.push({ table: rows.table.name, column: rows.column.name, identity: String(identity) })
    }
  }
  return by
}

/** For each reference of that kind, the rows that hold something that goes and do not go. */
function referringSelections(
  work: WriteContext,
  going: DeletedRows,
  onDelete: 'restrict' | 'clear',
): RowSelection[] {
  return [...going].flatMap(([target, identities]) =>
    referencesTo(work, target, onDelete).map((reference) => ({
      ...reference,
      within: [...identities],
      except: [...(going.get(reference.table) ?? [])],
    })),
  )
}

function* clearReferences(
  work: WriteContext,
  going: DeletedRows,
  at: string,
): StatementProgram<void> {
  const byTable = Map.groupBy(referringSelections(work, going, 'clear'), ({ table }) => table)
  for (const [table, rows] of byTable) {
    const [first, ...others] = rows
    if (first === undefined || !(yield* hasAnyRow(work, rows))) continue
    yield logRowsStatement(work.statements, 'replaced', [first, ...others], at)
    yield clearStatement(work.statements, [first, ...others], at)
    work.changed.add(table.name)
  }
}

/** A table grows a revision only where one of its rows changes. */
function* hasAnyRow(
  work: WriteContext,
  several: readonly RowSelection[],
): StatementProgram<boolean> {
  for (const rows of several) {
    const found = yield identitiesStatement(work.statements, rows, 1)
    if (found.length > 0) return true
  }
  return false
}

function* deleteRows(work: WriteContext, going: DeletedRows, at: string): StatementProgram<void> {
  if (going.size === 1) return yield* deleteInTurn(work, going, at)
  // Rows of several tables may hold each other: then no order of deletions suits each statement.
  yield { sql: work.statements.dialect.deferReferences, values: [] }
  try {
    yield* deleteInTurn(work, going, at)
  } finally {
    yield { sql: work.statements.dialect.restoreReferences, values: [] }
  }
}

function* deleteInTurn(work: WriteContext, going: DeletedRows, at: string): StatementProgram<void> {
  for (const [table, identities] of [...going].reverse()) {
    const rows: RowSelection = {
      table,
      column: knownColumn(table, '_identity'),
      within: [...identities],
    }
    yield logRowsStatement(work.statements, 'removed', [rows], at)
    if (table.tombstones) yield tombstonesStatement(work.statements, rows, at)
    yield deleteStatement(work.statements, rows)
    if (table.idColumn !== '_identity') {
      yield deleteFormerIdsStatement(work.statements, table, rows.within)
    }
    work.changed.add(table.name)
  }
}
