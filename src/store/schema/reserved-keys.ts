/** Rows whose key is the reserved segment: no URI leads to them, so a plan names them and how to rename them. */

import { reservedSegment } from '../../definition/paths.ts'
import { literalSql, quoted } from '../sql/sql-text.ts'
import { formatColumn, type TableContext } from './planned-table.ts'
import type { PresentColumn, PresentTable } from './present-tables.ts'
import type { ColumnPair } from './table-matching.ts'

export interface ReservedKeys {
  /** The effect of the step that such rows prevent. */
  readonly line: string
  /** An SQL condition for the rows. */
  readonly where: string
  /** The obstacle after the rows, as in `1 row has (t1) …`. */
  readonly fault: string
}

/** The condition for such rows of the table; undefined where no row can have such a key. */
export function findReservedKeys(
  context: Omit<TableContext<unknown, PresentTable>, 'connection'>,
  pairs: readonly ColumnPair<PresentColumn>[],
): ReservedKeys | undefined {
  const { table, now } = context
  const { column, was } = pairs.find((pair) => pair.column.name === table.idColumn) ?? {}
  if (!column || !was || column.name === '_identity' || was.type.toLowerCase() !== 'text') return undefined
  const name = quoted(was.name)
  const where = `${name} = ${literalSql(reservedSegment)}`
  const renaming = `update ${quoted(now.name)} set ${name} = 'another' where ${where}`
  return {
    line: `name items by ${formatColumn(context, column)}`,
    where,
    fault: `the key '${reservedSegment}', which is reserved; rename it while no service runs: ${renaming}`,
  }
}
