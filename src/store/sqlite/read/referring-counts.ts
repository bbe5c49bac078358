/**
 * Counts the rows that refer to each of some rows. The counts are reused until the table changes. They are
 * read without the check of a deadline, which takes most of the time of a count: an index has these rows,
 * and few of them are counted.
 */

import type { GroupQuery, ReferredRows } from '../../group-query.ts'
import type { Row } from '../../row.ts'
import { quoted, type Statement } from '../../sql/sql-text.ts'

/** How many rows are counted at once: a few milliseconds. */
const maxCounted = 50_000
const maxCounts = 10_000

interface KnownCounts {
  readonly revision: number
  readonly counts: Map<string, number>
}

export class ReferringCounts {
  readonly #read: (statement: Statement) => readonly Row[]
  /** By table and reference. */
  readonly #known = new Map<string, KnownCounts>()

  constructor(read: (statement: Statement) => readonly Row[]) {
    this.#read = read
  }

  /**
   * The counts at the revision of the table; undefined where the query has other aggregates or a
   * condition, or where there are too many rows.
   */
  find(query: GroupQuery, revision: (table: string) => number): readonly Row[] | undefined {
    const { table, referringTo } = query
    if (!referringTo || !isPlainCount(query)) return undefined
    // Read before the counts: a later write makes them invalid.
    const counts = this.#countsAt(`${table} ${referringTo.reference}`, revision(table))
    const missing = referringTo.to.filter((identity) => !counts.has(identity))
    if (counts.size + missing.length > maxCounts) counts.clear()
    const wanted = counts.size === 0 ? referringTo.to : missing
    if (wanted.length > 0 && !this.#count(table, { ...referringTo, to: wanted }, counts)) return undefined
    return referringTo.to.map((identity) => [identity, counts.get(identity) ?? 0])
  }

  #countsAt(name: string, revision: number): Map<string, number> {
    const known = this.#known.get(name)
    if (known?.revision === revision) return known.counts
    const counts = new Map<string, number>()
    this.#known.set(name, { revision, counts })
    return counts
  }

  /** Adds the counts; false where there are too many rows. */
  #count(table: string, { reference, to }: ReferredRows, counts: Map<string, number>): boolean {
    const most = Math.ceil(maxCounted / to.length) + 1
    const referring = `select 1 from ${quoted(table)} where ${quoted(reference)} = value limit ?`
    const sql = `select value, (select count(*) from (${referring})) from json_each(?)`
    const isCounted = this.#read({ sql, values: [most, JSON.stringify(to)] })
    if (isCounted.some(([, count]) => count === most)) return false
    for (const [identity, count] of isCounted) counts.set(String(identity), Number(count))
    return true
  }
}

function isPlainCount({ condition, aggregates }: GroupQuery): boolean {
  const [aggregate, other] = aggregates
  if (condition.kind !== 'always' || other) return false
  return aggregate?.kind === 'count' && aggregate.column === undefined
}
