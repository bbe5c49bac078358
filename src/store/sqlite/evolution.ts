/**
 * Opening a file that an earlier definition made, or none did: changes that lose nothing are made
 * in one transaction; anything else is refused with the whole plan, and the file stays as it was.
 */

import { statSync } from 'node:fs'
import { MARK, unfinishedText } from '../copy/copy-end.ts'
import { formatFault } from '../format.ts'
import { type Extent, isOpen, refusalText, type Step } from '../migration.ts'
import type { Schema } from '../schema.ts'
import { quoted } from '../sql.ts'
import { StoreFault } from '../store.ts'
import { Connection } from './connection.ts'
import { existingTable, existingTables, isAny, rowsOf } from './existing.ts'
import { keepLimits, limitsDiffer } from './limits.ts'
import type { Place } from './location.ts'
import { planEvolution } from './plan.ts'
import { fitSearches, searchesDiffer } from './search-tables.ts'
import { createIndexSql, FORMAT, indexesOf, systemTables } from './tables.ts'

/** Up to this size a file is read through for damage; beyond, starting would take too long. */
const CHECKED_OCTETS = 16 * 1024 * 1024

/** Makes the file fit the schema, as far as that is allowed. Throws a StoreFault otherwise. */
export function evolve(place: Place, schema: Schema, extent: Extent = 'safe'): readonly Step[] {
  return evolving(place, schema, (connection, steps) => {
    if (!isOpen(steps, extent)) throw refusal(place.file, steps)
    applySteps(connection, schema, steps, place.file)
    // A file that can be read, and not written, is told now and not with the first write.
    connection.probe()
    return steps
  })
}

/** The steps that are open, without taking any. */
export function planOf(place: Place, schema: Schema): readonly Step[] {
  return evolving(place, schema, (_, steps) => steps)
}

function evolving<Result>(
  { file, temporary }: Place,
  schema: Schema,
  work: (connection: Connection, steps: readonly Step[]) => Result,
): Result {
  const connection = new Connection({ file, use: 'evolve', temporary })
  try {
    checkSound(connection, file)
    if (!isNew(connection, file)) {
      checkFormat(connection, file)
      checkWhole(connection, file)
    }
    if (lacksSystemTables(connection)) transacted(connection, systemTables)
    return work(connection, planEvolution(connection, schema))
  } finally {
    connection.close()
  }
}

function checkSound(connection: Connection, file: string): void {
  if (statSync(file).size > CHECKED_OCTETS) return
  const [first] = rowsOf(connection, 'pragma quick_check(1)')
  if (first?.[0] === 'ok') return
  const remedy = 'Put a backup in its place; it was left as it is.'
  throw new StoreFault(`The database file ${file} is damaged. ${remedy}`, { cause: first?.[0] })
}

function isNew(connection: Connection, file: string): boolean {
  if (isAny(connection, `select 1 from sqlite_schema where name = '_meta'`)) return false
  if (existingTables(connection).size === 0) return true
  const remedy = 'Name another file, or move this one away.'
  throw new StoreFault(`The database file ${file} was made by another program. ${remedy}`)
}

function lacksSystemTables(connection: Connection): boolean {
  const names = rowsOf(
    connection,
    `select name from sqlite_schema where name like '\\_%' escape '\\'`,
  )
  const present = new Set(names.map(([name]) => String(name)))
  return systemTables.some((sql) => {
    const [, name] = /^create (?:table|index) if not exists "([^"]+)"/.exec(sql) ?? []
    return name !== undefined && !present.has(name)
  })
}

function checkFormat(connection: Connection, file: string): void {
  const [found] = rowsOf(connection, `select "value" from "_meta" where "name" = 'format'`)
  const fault = formatFault(`The database file ${file}`, found && String(found[0]), FORMAT)
  if (fault !== undefined) throw new StoreFault(fault)
}

/** What a copy has not brought to its end would be served with less than there was. */
function checkWhole(connection: Connection, file: string): void {
  const [found] = rowsOf(connection, `select "value" from "_meta" where "name" = '${MARK}'`)
  const text = unfinishedText(`The database file ${file}`, found && String(found[0]))
  if (text !== undefined) throw new StoreFault(text)
}

function refusal(file: string, steps: readonly Step[]): StoreFault {
  return new StoreFault(refusalText(`The database file ${file}`, steps))
}

function applySteps(
  connection: Connection,
  schema: Schema,
  steps: readonly Step[],
  file: string,
): void {
  const missing = Object.keys(schema.tables).filter((name) => !hasCollection(connection, name))
  // Indexes are compared only where every table is there already.
  const differs = () =>
    indexesDiffer(connection, schema) ||
    searchesDiffer(connection, schema) ||
    limitsDiffer(connection, schema)
  if (steps.length === 0 && missing.length === 0 && !differs()) return
  connection.database.exec('begin immediate')
  try {
    for (const sql of steps.flatMap((step) => step.sql)) connection.database.exec(sql)
    fitIndexes(connection, schema)
    fitSearches(connection, schema)
    fitCollections(connection, schema)
    keepLimits(connection, schema)
    checkReferences(connection, file)
    connection.database.exec('commit')
  } finally {
    if (connection.database.isTransaction) connection.database.exec('rollback')
  }
}

function hasCollection(connection: Connection, name: string): boolean {
  const found = connection.database
    .prepare('select 1 from "_collections" where "name" = ?')
    .get(name)
  return found !== undefined
}

function fitCollections(connection: Connection, schema: Schema): void {
  const insert = connection.database.prepare(
    'insert into "_collections" ("name", "revision") values (?, 0) on conflict do nothing',
  )
  for (const name of Object.keys(schema.tables)) insert.run(name)
}

/** The statements that drop what is not wanted any more, and make what is missing. */
function indexSql(connection: Connection, schema: Schema): string[] {
  return Object.values(schema.tables).flatMap((table) => {
    const wanted = new Map(indexesOf(table).map((index) => [index.name, index]))
    const present = new Set(existingTable(connection, table.name).indexes.map(({ name }) => name))
    const dropped = [...present].filter((name) => !wanted.has(name))
    const made = [...wanted.values()].filter(({ name }) => !present.has(name))
    return [
      ...dropped.map((name) => `drop index ${quoted(name)}`),
      ...made.map((index) => createIndexSql(table.name, index)),
    ]
  })
}

function indexesDiffer(connection: Connection, schema: Schema): boolean {
  return indexSql(connection, schema).length > 0
}

function fitIndexes(connection: Connection, schema: Schema): void {
  for (const sql of indexSql(connection, schema)) connection.database.exec(sql)
}

export function checkReferences(connection: Connection, file: string): void {
  const [dangling] = rowsOf(connection, 'pragma foreign_key_check')
  if (dangling === undefined) return
  const reason = `has rows in ${dangling[0]} that refer to rows of ${dangling[2]} which are not there`
  throw new StoreFault(`The database file ${file} ${reason}. Nothing was changed.`)
}

function transacted(connection: Connection, statements: readonly string[]): void {
  connection.database.exec(['begin immediate', ...statements, 'commit'].join(';\n'))
}
