/**
 * The limits that rows were last held against, kept in `_meta`; and what is in the way of narrower
 * ones. The database itself knows of no limit: rows are read and looked at here.
 */

import {
  createFitCheck,
  describeNarrowings,
  type FieldLimits,
  type Fit,
} from '../../definition/field-limits.ts'
import type { Stored } from '../../definition/model.ts'
import { quoted } from '../sql/sql-text.ts'
import { formatRows } from './migration-plan.ts'
import type { Column, Schema } from './table-schema.ts'

/**
 * By table, then column: the limits that its rows were last held against, then earlier ones. A
 * definition that was served before may be served again, whatever rows others have made since.
 */
export type StoredLimits = Readonly<
  Record<string, Readonly<Record<string, readonly FieldLimits[]>>>
>

/** How many are remembered for a column. */
const maxStoredLimits = 8

/** Under this name they stand in `_meta`. */
export const limitsRecord = 'limits'

/** What is to be kept when the rows fit the schema: the same text where nothing is new. */
export function formatLimits({ tables }: Schema, known: StoredLimits): string {
  const all = Object.values(tables).map(({ name, columns }) => {
    const limited = columns.flatMap(({ name: column, limits }) =>
      limits === undefined ? [] : [[column, withLimits(known[name]?.[column], limits)] as const],
    )
    return [name, { ...known[name], ...Object.fromEntries(limited) }] as const
  })
  return JSON.stringify({ ...known, ...Object.fromEntries(all) })
}

function withLimits(
  known: readonly FieldLimits[] = [],
  limits: FieldLimits,
): readonly FieldLimits[] {
  const others = known.filter((one) => !isSame(one, limits))
  return [limits, ...others].slice(0, maxStoredLimits)
}

function isSame(one: FieldLimits, other: FieldLimits): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** None are known of a database that was last used before they were kept; one of each later on. */
export function parseLimits(text: string | undefined): StoredLimits {
  const known: Record<string, Record<string, FieldLimits | FieldLimits[]>> = text
    ? JSON.parse(text)
    : {}
  const tables = Object.entries(known).map(([table, columns]) => {
    const lists = Object.entries(columns).map(([name, limits]) => [name, [limits].flat()])
    return [table, Object.fromEntries(lists)]
  })
  return Object.fromEntries(tables)
}

export interface Narrowing {
  /** What becomes narrower, such as `maxLength 50`. */
  readonly description: string
  /** An expression for the column as it is now. */
  readonly expression: string
  /** Nodes with the former definition could make rows that cannot be shown. */
  readonly effect: 'adds' | 'changes'
  /** To be told of every row that has a value. */
  check(identity: string, stored: Stored): void
  /** What stands in the way, when all rows were seen. */
  result(): LimitsCheckResult
}

export interface LimitsCheckResult {
  readonly rows: number
  readonly obstacle: string | undefined
  readonly loss: string | undefined
}

/** Undefined where nothing that was let in before can be kept out now. */
export function findNarrowing(
  known: readonly FieldLimits[] | undefined,
  column: Column,
  was: string,
): Narrowing | undefined {
  const { limits, type } = column
  const [last, ...earlier] = known ?? []
  if (last === undefined || limits === undefined) return undefined
  const words = describeNarrowings(last, limits)
  if (words.length === 0) return undefined
  return {
    ...createLimitsCheck(column, limits, earlier),
    effect: last.kind === limits.kind ? 'adds' : 'changes',
    description: words.join(', '),
    expression: type === 'decimal' ? `cast(${quoted(was)} as text)` : quoted(was),
  }
}

/** Rows that do not fit are no loss where the definition was served with these limits before. */
export function createLimitsCheck(
  { scale }: Column,
  limits: FieldLimits,
  earlier: readonly FieldLimits[],
): Pick<Narrowing, 'check' | 'result'> {
  const fit = createFitCheck(limits, scale)
  const seen: Record<Fit, string[]> = { fits: [], unfitting: [], unreadable: [] }
  const accepted = earlier.some((one) => isSame(one, limits))
  let rows = 0
  return {
    check(identity, stored) {
      if (stored === null) return
      rows += 1
      const fitting = fit(stored)
      if (fitting !== 'fits') seen[fitting].push(identity)
    },
    result: () => ({
      rows,
      obstacle: named(seen.unreadable, 'a value that it cannot show'),
      loss: accepted
        ? undefined
        : named(
            seen.unfitting,
            'a value that does not fit; it stays, and is held against the limits when it is next written',
          ),
    }),
  }
}

function named(identities: readonly string[], what: string): string | undefined {
  return identities.length === 0
    ? undefined
    : `${formatRows(identities.length, identities)} ${what}`
}
