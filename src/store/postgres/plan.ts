/** The plan for PostgreSQL, which changes tables in place and undoes a plan that fails half-way. */

import type { Step } from '../migration.ts'
import type { Schema, Table } from '../schema.ts'
import { quoted } from '../sql.ts'
import {
  columnChanges,
  isAside,
  type Pair,
  type TableContext,
  vanishedColumn,
} from './column-changes.ts'
import type { Connection } from './connection.ts'
import { type ExistingTable, existingTables } from './existing.ts'
import { knownLimits } from './limits.ts'
import { locks } from './locks.ts'
import {
  addReferenceSql,
  createIndexSql,
  createTableSql,
  indexesOf,
  literal,
  primaryName,
  referenceName,
  scaleSql,
} from './tables.ts'

const plain = { obstacle: undefined, loss: undefined, lock: locks.moment, rows: 0 }

export async function planMigration(connection: Connection, schema: Schema): Promise<Step[]> {
  const existing = await existingTables(connection)
  const present = Object.values(schema.tables).map((table) => ({
    table,
    now: presentForm(table, existing, schema),
  }))
  const names = new Map(present.flatMap(({ table, now }) => (now ? [[now.name, table.name]] : [])))
  const limits = await knownLimits(connection)
  const steps: Step[] = []
  const references: Step[] = []
  for (const { table, now } of present) {
    if (now === undefined) {
      steps.push(creation(table))
      references.push(...referencesOf(table))
      continue
    }
    const changes = await tableSteps({ connection, table, now, names, limits })
    // A reference may be to a table that is made only in this plan.
    steps.push(...changes.filter(({ line }) => !line.startsWith('let ')))
    references.push(...changes.filter(({ line }) => line.startsWith('let ')))
  }
  const vanished = [...existing.values()].filter(({ name }) => !names.has(name))
  return [
    ...present.flatMap(({ table, now }) => tableRename(table, now)),
    ...steps,
    ...references,
    ...present.flatMap(({ table, now }) => indexSteps(table, now)),
    ...(await Promise.all(vanished.map((table) => vanishedTable(connection, table)))),
  ]
}

/** The table under its name, or under one it had before. */
function presentForm(
  table: Table,
  existing: ReadonlyMap<string, ExistingTable>,
  schema: Schema,
): ExistingTable | undefined {
  const former = table.formerly.find(
    (name) => existing.has(name) && !Object.hasOwn(schema.tables, name),
  )
  return existing.get(table.name) ?? (former === undefined ? undefined : existing.get(former))
}

function creation(table: Table): Step {
  const comments = table.columns.flatMap((column) => scaleSql(table, column))
  const line = `create table ${table.name}`
  return { ...plain, lock: undefined, line, sql: [createTableSql(table), ...comments] }
}

function referencesOf(table: Table): Step[] {
  return table.columns.flatMap((column) => {
    const target = column.references?.table
    if (target === undefined) return []
    const line = `let ${table.name}.${column.name} refer to ${target}`
    const sql = [addReferenceSql(table, column, target)]
    return [{ ...plain, lock: locks.reference, line, sql }]
  })
}

/** An empty one goes; one with rows stays under a name that no definition can have. */
async function vanishedTable(
  connection: Connection,
  { name, empty }: ExistingTable,
): Promise<Step> {
  if (empty) {
    const line = `drop table ${name}, which the definition no longer has`
    return { ...plain, line, sql: [`drop table ${quoted(name)} cascade`] }
  }
  const [row] = await connection.run(`select count(*) from ${quoted(name)}`)
  const line = `set table ${name} aside, which the definition no longer has`
  const loss = `it has rows; if it was renamed, say formerly: ['${name}'] on its new name`
  const aside = `_${name.slice(0, 45)}_${Date.now().toString(36)}`
  const sql = [`alter table ${quoted(name)} rename to ${quoted(aside)}`]
  return { ...plain, line, loss, rows: Number(row?.[0]), sql }
}

/** What the log and the tombstones say of the table goes along, and the names of constraints. */
function tableRename(table: Table, now: ExistingTable | undefined): Step[] {
  if (now === undefined || now.name === table.name) return []
  const [from, to] = [now.name, table.name]
  const [old, name] = [literal(from), literal(to)]
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
    `delete from "_tombstones" t where "table" = ${name} and exists (select 1 from "_tombstones" o where o."table" = ${old} and o."id" = t."id")`,
    `update "_tombstones" set "table" = ${name} where "table" = ${old}`,
    `delete from "_moves" t where "table" = ${name} and exists (select 1 from "_moves" o where o."table" = ${old} and o."id" = t."id")`,
    `update "_moves" set "table" = ${name} where "table" = ${old}`,
  ]
  return [{ ...plain, line: `rename table ${from} to ${to}`, sql }]
}

async function tableSteps(context: TableContext): Promise<Step[]> {
  const { table, now } = context
  const pairs = pairsOf(table, now)
  const kept = new Set(pairs.map(({ was }) => was?.name))
  const steps = pairs.flatMap(({ column, was }) =>
    was === undefined || was.name === column.name
      ? []
      : [columnRename(table, was.name, column.name)],
  )
  for (const pair of pairs) steps.push(...(await columnChanges(context, pair)))
  for (const column of now.columns.values()) {
    if (kept.has(column.name) || isAside(column.name)) continue
    steps.push(await vanishedColumn(context, column))
  }
  return steps
}

/** Each wanted column with what it is now: under its name, or under one it had before. */
function pairsOf(table: Table, now: ExistingTable): Pair[] {
  const wanted = new Set(table.columns.map(({ name }) => name))
  return table.columns.map((column) => {
    const former = column.formerly.find((name) => now.columns.has(name) && !wanted.has(name))
    return { column, was: now.columns.get(column.name) ?? now.columns.get(former ?? '') }
  })
}

function columnRename(table: Table, from: string, to: string): Step {
  const [old, name] = [literal(from), literal(to)]
  const moved = `((("values"::jsonb - ${old}) || jsonb_build_object(${name}, "values"::jsonb -> ${old}))::text)`
  return {
    ...plain,
    line: `rename column ${table.name}.${from} to ${to}`,
    sql: [
      `alter table ${quoted(table.name)} rename column ${quoted(from)} to ${quoted(to)}`,
      `update "_tombstones" set "values" = ${moved} where "table" = ${literal(table.name)} and "values"::jsonb ? ${old}`,
    ],
  }
}

/** Those not wanted any more go first: one of a renamed column may have the name of a new one. */
function indexSteps(table: Table, now: ExistingTable | undefined): Step[] {
  const wanted = new Map(indexesOf(table).map((index) => [index.name, index]))
  const present = new Set(now?.indexes.map(({ name }) => name) ?? [])
  const dropped = [...present].filter((name) => !wanted.has(name))
  const made = [...wanted.values()].filter(({ name }) => !present.has(name))
  return [
    ...dropped.map((name) => ({
      ...plain,
      line: `drop index ${name}`,
      sql: [`drop index if exists ${quoted(name)}`],
    })),
    ...made.map((index) => ({
      ...plain,
      line: `make index ${index.name}`,
      lock: now === undefined ? undefined : locks.index,
      sql: [createIndexSql(table, index)],
    })),
  ]
}
