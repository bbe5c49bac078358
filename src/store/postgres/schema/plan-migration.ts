/** Plans the migration of a PostgreSQL database, which changes tables in place in one transaction. */

import { parseJoinTables } from '../../schema/join-table-schema.ts'
import type { MigrationStep } from '../../schema/migration-plan.ts'
import { type Ownership, parseOwnership } from '../../schema/ownership.ts'
import { formatTableRenameHint } from '../../schema/planned-table.ts'
import { planSearchChanges } from '../../schema/search-records.ts'
import { parseLimits } from '../../schema/stored-limits.ts'
import {
  findForeignTableObstacle,
  findStaleIndexes,
  matchTables,
  pairColumns,
  type TablePair,
} from '../../schema/table-matching.ts'
import { blocksInserts } from '../../schema/table-mismatch.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { logIndexName, planLogIndex } from '../../sql/history-sql.ts'
import { literalSql, quoted } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import {
  blockingColumn,
  columnChanges,
  planUniqueSets,
  rejectReservedKeys,
  vanishedColumn,
} from './column-changes.ts'
import { existingTables, type PostgresTable } from './existing-tables.ts'
import { locks } from './migration-locks.ts'
import { dropSearchSql } from './search-index.ts'
import { createSetAsideName, isSetAside } from './set-aside-columns.ts'
import { loadRecords } from './stored-records.ts'
import type { PostgresTableContext } from './table-context.ts'
import {
  addReferenceSql,
  createIndexSql,
  createTableSql,
  indexesOf,
  indexNames,
  primaryName,
  referenceName,
  scaleCommentSql,
} from './table-sql.ts'

const plain = {
  effect: 'adds',
  obstacle: undefined,
  loss: undefined,
  lock: locks.brief,
  rows: 0,
} as const

/** Returns the steps from the existing tables to those of the schema, in the order to apply them. */
export async function planMigration(
  connection: PostgresConnection,
  schema: Schema,
): Promise<MigrationStep[]> {
  const existing = await existingTables(connection)
  const records = await loadRecords(connection)
  const limits = parseLimits(records)
  const joinTables = parseJoinTables(records)
  const owned = parseOwnership(records)
  const { pairs, names, vanished, creates } = matchTables(schema, existing, owned)
  const steps: MigrationStep[] = []
  const references: MigrationStep[] = []
  for (const { table, now } of pairs) {
    if (now === undefined) {
      steps.push(creation(table))
      references.push(...referencesOf(table))
      continue
    }
    const obstacle = findForeignTableObstacle(now, owned)
    if (obstacle !== undefined) {
      steps.push({ ...creation(table), obstacle })
      continue
    }
    const own = owned[now.name] ?? { columns: [], indexes: [] }
    const changes = await tableSteps({ connection, table, now, names, limits, joinTables, owned: own })
    // A reference may be to a table that this plan creates, so references come last.
    steps.push(...changes.filter(({ line }) => !line.startsWith('let ')))
    references.push(...changes.filter(({ line }) => line.startsWith('let ')))
  }
  const changes = { existing, creates }
  return [
    ...pairs.flatMap(({ table, now }) => tableRename(table, now)),
    ...steps,
    ...references,
    ...planSearchChanges(records, schema, names, () => ({ lock: locks.reference, rows: 0 })),
    ...pairs.flatMap((pair) => indexSteps(pair, owned)),
    ...planLogIndex(schema, await hasLogIndex(connection), locks),
    ...(await Promise.all(vanished.map((table) => vanishedTable(connection, table, changes)))),
  ]
}

async function hasLogIndex(connection: PostgresConnection): Promise<boolean> {
  const [row] = await connection.run(`select to_regclass(${literalSql(quoted(logIndexName))}) is not null`)
  return row?.[0] === 1
}

function creation(table: Table): MigrationStep {
  const comments = table.columns.flatMap((column) => scaleCommentSql(table, column))
  const line = `create table ${table.name}`
  return { ...plain, lock: undefined, line, sql: [createTableSql(table), ...comments] }
}

function referencesOf(table: Table): MigrationStep[] {
  return table.columns.flatMap((column) => {
    const target = column.references?.table
    if (target === undefined) return []
    const line = `let ${table.name}.${column.name} refer to ${target}`
    const sql = [addReferenceSql(table, column, target)]
    return [{ ...plain, lock: locks.reference, line, sql }]
  })
}

/**
 * The step for a table that the definition no longer has: an empty table is dropped, a table with
 * rows is set aside. If tables are also created, it may have been renamed, and a start stops.
 */
async function vanishedTable(
  connection: PostgresConnection,
  { name, empty }: PostgresTable,
  { existing, creates }: { readonly existing: Existing; readonly creates: boolean },
): Promise<MigrationStep> {
  if (empty) {
    const line = `drop table ${name}, which the definition no longer has`
    const sql = [...referrersSql(existing, name), ...dropSearchSql(name), `drop table ${quoted(name)}`]
    return { ...plain, effect: 'drops', line, sql }
  }
  const [row] = await connection.run(`select count(*) from ${quoted(name)}`)
  const line = `set table ${name} aside, which the definition no longer has`
  const loss = formatTableRenameHint(name)
  const aside = createSetAsideName(name)
  const sql = [`alter table ${quoted(name)} rename to ${quoted(aside)}`]
  const effect = creates ? 'changes' : 'drops'
  return { ...plain, effect, line, loss, rows: Number(row?.[0]), sql }
}

type Existing = ReadonlyMap<string, PostgresTable>

/** Drops only references of Restwell; a reference of another program prevents the drop of the table. */
function referrersSql(existing: Existing, name: string): string[] {
  return [...existing.values()].flatMap((table) =>
    [...table.columns.values()].flatMap(({ references }) =>
      references?.table === name
        ? [`alter table ${quoted(table.name)} drop constraint if exists ${quoted(references.name)}`]
        : [],
    ),
  )
}

/** Renames the table, its constraints, and its entries in the change log, tombstones and former ids. */
function tableRename(table: Table, now: PostgresTable | undefined): MigrationStep[] {
  if (now === undefined || now.name === table.name) return []
  const [from, to] = [now.name, table.name]
  const [old, name] = [literalSql(from), literalSql(to)]
  const constraints = [
    [primaryName(from), primaryName(to)],
    ...[...now.columns.values()].flatMap((column) =>
      column.references ? [[column.references.name, referenceName(to, column.name)]] : [],
    ),
  ] as [string, string][]
  const sql = [
    `alter table ${quoted(from)} rename to ${quoted(to)}`,
    ...constraints.map(
      ([was, is]) => `alter table ${quoted(to)} rename constraint ${quoted(was)} to ${quoted(is)}`,
    ),
    `update "_changes" set "table" = ${name} where "table" = ${old}`,
    `delete from "_history" where "table" = ${name}`,
    `update "_history" set "table" = ${name} where "table" = ${old}`,
    `delete from "_tombstones" t where "table" = ${name} and exists (select 1 from "_tombstones" o where o."table" = ${old} and o."id" = t."id")`,
    `update "_tombstones" set "table" = ${name} where "table" = ${old}`,
    `delete from "_moves" t where "table" = ${name} and exists (select 1 from "_moves" o where o."table" = ${old} and o."id" = t."id")`,
    `update "_moves" set "table" = ${name} where "table" = ${old}`,
  ]
  return [{ ...plain, effect: 'changes', line: `rename table ${from} to ${to}`, sql }]
}

async function tableSteps(context: PostgresTableContext): Promise<MigrationStep[]> {
  const { table, now, owned } = context
  const pairs = pairColumns(table, now.columns, owned.columns)
  const paired = new Set(pairs.map(({ was }) => was?.name))
  const steps: MigrationStep[] = pairs.flatMap(({ column, was }) =>
    was === undefined || was.name === column.name ? [] : [columnRename(table, was.name, column.name)],
  )
  for (const pair of pairs) steps.push(...(await columnChanges(context, pair)))
  steps.push(...(await planUniqueSets(context, pairs)))
  steps.push(...(await rejectReservedKeys(context, pairs)))
  const renamable = pairs.some(({ column, was }) => was === undefined && column.initial === undefined)
  for (const column of now.columns.values()) {
    if (paired.has(column.name) || isSetAside(column.name)) continue
    if (owned.columns.includes(column.name)) {
      steps.push(await vanishedColumn(context, column, renamable))
    } else if (blocksInserts(table, column)) steps.push(blockingColumn(context, column))
  }
  return steps
}

function columnRename(table: Table, from: string, to: string): MigrationStep {
  const [old, name] = [literalSql(from), literalSql(to)]
  const moved = `((("values"::jsonb - ${old}) || jsonb_build_object(${name}, "values"::jsonb -> ${old}))::text)`
  return {
    ...plain,
    effect: 'changes',
    line: `rename column ${table.name}.${from} to ${to}`,
    sql: [
      `alter table ${quoted(table.name)} rename column ${quoted(from)} to ${quoted(to)}`,
      `update "_tombstones" set "values" = ${moved} where "table" = ${literalSql(table.name)} and "values"::jsonb ? ${old}`,
    ],
  }
}

/** Drops come first: the index of a renamed column may have the name of a new index. */
function indexSteps(pair: TablePair<PostgresTable>, owned: Ownership): MigrationStep[] {
  const { table, now } = pair
  const present = new Set(now?.indexes.map(({ name }) => name))
  const missing = indexesOf(table).filter(({ name }) => !present.has(name))
  return [
    ...findStaleIndexes(pair, owned, indexNames).map((name) => ({
      ...plain,
      effect: 'drops' as const,
      line: `drop index ${name}`,
      sql: [`drop index if exists ${quoted(name)}`],
    })),
    ...missing.map((index) => ({
      ...plain,
      line: `make index ${index.name}`,
      lock: now === undefined ? undefined : locks.index,
      sql: [createIndexSql(table, index)],
    })),
  ]
}
