/** Finds the references of a row whose targets do not exist. */

import type { Stored } from '../../definition/model.ts'
import { bindRaw, knownTable, quoted, type SqlBuilder, type Statement } from './sql-text.ts'

/** The references in a column: an identity, or a set of them as JSON. */
export interface StoredReferences {
  readonly kind: 'one' | 'set'
  readonly table: string
  readonly value: Stored
}

/** Selects for each column 1 where all its targets exist, else null. */
export function referenceTargetsStatement(
  on: Pick<SqlBuilder, 'schema' | 'dialect'>,
  references: readonly StoredReferences[],
): Statement {
  const builder: SqlBuilder = { schema: on.schema, dialect: on.dialect, values: [] }
  const looks = references.map(({ kind, table, value }) => {
    const target = quoted(knownTable(on.schema, table).name)
    const columnSql = bindRaw(builder, value)
    if (kind === 'one') return `(select 1 from ${target} where "_identity" = ${columnSql})`
    const exists = `select 1 from ${target} where "_identity" = j."value"`
    const dangling = `select 1 from ${on.dialect.elementsItem(columnSql)} where not exists (${exists})`
    return `(select 1 where not exists (${dangling}))`
  })
  return { sql: `select ${looks.join(', ')}`, values: builder.values }
}
