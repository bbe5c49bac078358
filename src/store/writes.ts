/**
 * Writes as programs that both drivers run: each yields statements, is handed the rows they give,
 * and ends with why it was refused, or nothing. An update gives one where it has changed one. A driver runs a transaction's program between a
 * savepoint and its release, and throws a Violation into it where a constraint says no.
 */

import { IDENTITY, type Stored, UPDATED_AT, VERSION } from '../declare/model.ts'
import type { Condition } from './condition.ts'
import { expectation, keeping, requirement } from './keeping.ts'
import { idBefore, isNamed, moved } from './moves.ts'
import { removal } from './removal.ts'
import type { Column, Table } from './schema.ts'
import { knownTable, placeOf, type Statement } from './sql.ts'
import type { InsertWrite, ReplaceWrite, Row, Write, WriteRefusal, Written } from './store.ts'
import { wordsOf } from './words.ts'
import {
  guardStatement,
  resultStatement,
  targetsStatement,
  type WriteStatements,
} from './write-sql.ts'

export type Program<Result> = Generator<Statement, Result, readonly Row[]>

/** A constraint of the database refused a statement. */
export class Violation extends Error {
  readonly kind: 'unique' | 'reference'
  /** Undefined where the database does not tell. */
  readonly columns: readonly string[] | undefined

  constructor(
    kind: 'unique' | 'reference',
    columns: readonly string[] | undefined,
    cause: unknown,
  ) {
    super(`A ${kind} constraint does not hold`, { cause })
    this.name = 'Violation'
    this.kind = kind
    this.columns = columns
  }
}

/** What a transaction's programs share: the statements, and the tables they have changed. */
export interface Work {
  readonly statements: WriteStatements
  readonly changed: Set<string>
}

/** All the writes in order; stops at the first refusal. */
export function* transaction(work: Work, writes: readonly Write[]): Program<Written> {
  let index = 0
  for (const write of writes) {
    const reason = yield* programOf(work, write)
    if (reason !== undefined) return { kind: 'refused', index, reason }
    index += 1
  }
  return { kind: 'done' }
}

function programOf(work: Work, write: Write): Program<WriteRefusal | undefined> {
  switch (write.kind) {
    case 'insert':
      return insertion(work, write)
    case 'replace':
      return replacement(work, write)
    case 'remove':
      return removal(work, write)
    case 'expect':
      return expectation(work, write)
    case 'require':
      return requirement(work, write)
    case 'answer':
      return keeping(work, write)
  }
}

function* insertion(work: Work, write: InsertWrite): Program<WriteRefusal | undefined> {
  const table = knownTable(work.statements.schema, write.table)
  const { values, result } = write
  if (!isSure(result) && !(yield* holds(work, table, values, result))) return { kind: 'forbidden' }
  try {
    yield work.statements.insert(table, values)
  } catch (cause) {
    return yield* refusalOf(work, table, values, cause)
  }
  if (isNamed(table)) yield* moved(work, table, values, undefined)
  yield* recorded(work, 'inserted', table, values)
  return undefined
}

/**
 * The version and the guard are looked at by the statement that changes the row. Only where there
 * was none to change is it asked why.
 */
function* replacement(work: Work, write: ReplaceWrite): Program<WriteRefusal | undefined> {
  const { identity, result } = write
  const table = knownTable(work.statements.schema, write.table)
  const values = [...write.values]
  values[IDENTITY] = identity
  values[VERSION] = write.version + 1
  if (!isSure(result) && !(yield* holds(work, table, values, result))) {
    return yield* unguarded(work, table, write)
  }
  const before = isNamed(table) ? yield* idBefore(work, table, identity) : undefined
  let changed: readonly Row[]
  try {
    changed = yield work.statements.update(table, write, values)
  } catch (cause) {
    return yield* refusalOf(work, table, values, cause)
  }
  if (changed.length === 0) return yield* unguarded(work, table, write)
  if (isNamed(table)) yield* moved(work, table, values, before)
  yield* recorded(work, 'replaced', table, values)
  return undefined
}

function isSure({ kind }: Condition): boolean {
  return kind === 'always'
}

/** Asked before the row is written, so that what is forbidden never shows what would be taken. */
function* holds(
  work: Work,
  table: Table,
  values: readonly Stored[],
  result: Condition,
): Program<boolean> {
  const [answer] = yield resultStatement(work.statements, table, values, result)
  return answer?.[0] === 1
}

/** Why a row was not changed: whoever expects another version is not told of anything else. */
function* unguarded(work: Work, table: Table, write: ReplaceWrite): Program<WriteRefusal> {
  const [found] = yield guardStatement(work.statements, { ...write, table })
  return { kind: found === undefined ? 'stale' : 'forbidden' }
}

function* refusalOf(
  work: Work,
  table: Table,
  values: readonly Stored[],
  cause: unknown,
): Program<WriteRefusal> {
  if (!(cause instanceof Violation)) throw cause
  if (cause.kind === 'unique') return { kind: 'duplicate', columns: cause.columns ?? [] }
  const columns = cause.columns ?? (yield* danglingColumns(work, table, values))
  return { kind: 'dangling', columns }
}

function* danglingColumns(
  work: Work,
  table: Table,
  values: readonly Stored[],
): Program<readonly string[]> {
  const references = table.columns.flatMap((column: Column, at) => {
    const identity = values[at] ?? null
    if (column.references === undefined || identity === null) return []
    return [{ name: column.name, table: column.references.table, identity }]
  })
  const [found] = yield targetsStatement(work.statements, references)
  return references.filter((_, at) => found?.[at] === null).map(({ name }) => name)
}

function* recorded(
  work: Work,
  kind: 'inserted' | 'replaced',
  table: Table,
  values: readonly Stored[],
): Program<void> {
  yield work.statements.log({
    kind,
    table: table.name,
    identity: String(values[IDENTITY]),
    id: String(values[placeOf(table, table.idColumn)]),
    version: Number(values[VERSION]),
    at: String(values[UPDATED_AT]),
  })
  if (table.search.length > 0) yield* searched(work, table, values)
  work.changed.add(table.name)
}

function* searched(work: Work, table: Table, values: readonly Stored[]): Program<void> {
  const texts = table.search.map((name) => values[placeOf(table, name)] ?? '')
  const identity = String(values[IDENTITY])
  const { search } = work.statements.dialect
  yield* search.keep(table, identity, wordsOf(texts.join('\n')))
}
