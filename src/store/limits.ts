/**
 * The limits that rows were last held against, kept in `_meta`; and what is in the way of narrower
 * ones. The database itself knows of no limit: rows are read and looked at here.
 */

import { type Fit, fitOf, type Limits, narrowings } from '../declare/limits.ts'
import type { Stored } from '../declare/model.ts'
import type { Column, Schema } from './schema.ts'
import { quoted } from './sql.ts'

/** By table, then column. */
export type KnownLimits = Readonly<Record<string, Readonly<Record<string, Limits>>>>

/** Under this name they stand in `_meta`. */
export const LIMITS = 'limits'

/** The same text for the same limits. */
export function formatLimits({ tables }: Schema): string {
  const known = Object.values(tables).map(({ name, columns }) => {
    const limited = columns.flatMap((column) =>
      column.limits === undefined ? [] : [[column.name, column.limits] as const],
    )
    return [name, Object.fromEntries(limited)] as const
  })
  return JSON.stringify(Object.fromEntries(known))
}

/** None are known of a database that was last used before they were kept. */
export function parseLimits(text: string | undefined): KnownLimits {
  return text === undefined ? {} : JSON.parse(text)
}

export interface Narrowing {
  /** What becomes narrower, such as `maxLength 50`. */
  readonly words: string
  /** An expression for the column as it is now. */
  readonly shown: string
  /** To be told of every row that has a value. */
  see(identity: string, stored: Stored): void
  /** What stands in the way, when all rows were seen. */
  found(): Found
}

export interface Found {
  readonly rows: number
  readonly obstacle: string | undefined
  readonly loss: string | undefined
}

/** Undefined where nothing that was let in before can be kept out now. */
export function findNarrowing(
  known: Limits | undefined,
  column: Column,
  was: string,
): Narrowing | undefined {
  const { limits, scale, type } = column
  if (known === undefined || limits === undefined) return undefined
  const words = narrowings(known, limits)
  if (words.length === 0) return undefined
  const fit = fitOf(limits, scale)
  const seen: Record<Fit, string[]> = { fits: [], unfitting: [], unreadable: [] }
  let rows = 0
  return {
    words: words.join(', '),
    shown: type === 'decimal' ? `cast(${quoted(was)} as text)` : quoted(was),
    see(identity, stored) {
      if (stored === null) return
      rows += 1
      const fitting = fit(stored)
      if (fitting !== 'fits') seen[fitting].push(identity)
    },
    found: () => ({
      rows,
      obstacle: named(seen.unreadable, 'a value that it cannot show'),
      loss: named(
        seen.unfitting,
        'a value that does not fit; it stays, and is held against the limits when it is next written',
      ),
    }),
  }
}

/** How many rows are named. */
const NAMED_ROWS = 5

/** `3 rows have (id1, id2, id3) …`: the first of them by name. */
function named(identities: readonly string[], what: string): string | undefined {
  if (identities.length === 0) return undefined
  const names = identities.slice(0, NAMED_ROWS).join(', ')
  const more = identities.length > NAMED_ROWS ? ', …' : ''
  const count = identities.length === 1 ? '1 row has' : `${identities.length} rows have`
  return `${count} (${names}${more}) ${what}`
}
