/**
 * The field limits that rows were last checked against, stored in `_meta`, and the check of rows
 * against narrower limits. The database itself enforces no limits.
 */

import {
  createFitCheck,
  describeNarrowings,
  type FieldLimits,
  type Fit,
  formatFieldLimits,
  type KeptLimits,
} from '../../definition/field-limits.ts'
import type { Stored } from '../../definition/model.ts'
import { quoted } from '../sql/sql-text.ts'
import type { MetaRecords } from './meta-records.ts'
import { formatRows } from './migration-plan.ts'
import type { Column, Schema } from './table-schema.ts'

/**
 * By table, then column: the limits that rows were last checked against, then earlier ones. A
 * definition that was served before may be served again, whatever rows were written since.
 */
export type StoredLimits = Readonly<Record<string, Readonly<Record<string, readonly KeptLimits[]>>>>

/** How many limits are stored for a column. */
const maxStoredLimits = 8

/** The name of the record in `_meta`. */
export const limitsRecord = 'limits'

/** The record after a migration to the schema; the same text where no limit is new. */
export function formatLimits({ tables }: Schema, records: MetaRecords): string {
  const known = parseLimits(records)
  const all = Object.values(tables).map(({ name, columns }) => {
    const limited = columns.flatMap(({ name: column, limits }) =>
      limits === undefined ? [] : [[column, withLimits(known[name]?.[column], limits)] as const],
    )
    return [name, { ...known[name], ...Object.fromEntries(limited) }] as const
  })
  return JSON.stringify({ ...known, ...Object.fromEntries(all) })
}

function withLimits(known: readonly KeptLimits[] = [], given: FieldLimits): readonly KeptLimits[] {
  const limits = formatFieldLimits(given)
  const others = known.filter((one) => !isSame(one, limits))
  return [limits, ...others].slice(0, maxStoredLimits)
}

function isSame(one: KeptLimits, other: KeptLimits): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The record before a migration; empty for a new database. */
export function parseLimits(records: MetaRecords): StoredLimits {
  return JSON.parse(records.get(limitsRecord) ?? '{}')
}

export interface Narrowing {
  /** The narrower limits, such as `maxLength 50`. */
  readonly description: string
  /** An SQL expression for the present value. */
  readonly expression: string
  /** `changes` where nodes with the former definition could write unreadable rows. */
  readonly effect: 'adds' | 'changes'
  /** Checks the value of one row. */
  check(identity: string, stored: Stored): void
  /** The findings, after all rows were checked. */
  result(): LimitsCheckResult
}

export interface LimitsCheckResult {
  readonly rows: number
  readonly obstacle: string | undefined
  readonly loss: string | undefined
}

/** Undefined where every value that was allowed is still allowed. */
export function findNarrowing(
  known: readonly KeptLimits[] | undefined,
  column: Column,
  was: string,
): Narrowing | undefined {
  const { limits, type } = column
  const [last, ...earlier] = known ?? []
  if (last === undefined || limits === undefined) return undefined
  const words = describeNarrowings(last, limits)
  if (words.length === 0) return undefined
  return {
    ...createLimitsCheck(limits, earlier),
    effect: last.kind === limits.kind.name ? 'adds' : 'changes',
    description: words.join(', '),
    expression: type === 'decimal' ? `cast(${quoted(was)} as text)` : quoted(was),
  }
}

/** Creates a check. Values that do not fit are no loss where the limits were served before. */
export function createLimitsCheck(
  limits: FieldLimits,
  earlier: readonly KeptLimits[],
): Pick<Narrowing, 'check' | 'result'> {
  const fit = createFitCheck(limits)
  const seen: Record<Fit, string[]> = { fits: [], unfitting: [], unreadable: [] }
  const kept = formatFieldLimits(limits)
  const accepted = earlier.some((one) => isSame(one, kept))
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
  return identities.length === 0 ? undefined : `${formatRows(identities.length, identities)} ${what}`
}
