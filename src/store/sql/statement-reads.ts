/** The reads of a store whose statements are run by a function. */

import type { Row } from '../row.ts'
import type { Schema } from '../schema/table-schema.ts'
import type { Store } from '../store.ts'
import { parseAggregateRows } from './aggregate-sql.ts'
import { previewRow } from './preview-row.ts'
import type { Queries } from './query-sql.ts'
import type { Statement } from './sql-text.ts'

export type StatementReads = Pick<Store, 'find' | 'list' | 'count' | 'aggregate' | 'satisfies' | 'previewRow'>

export function createStatementReads(
  schema: Schema,
  queries: Queries,
  rows: (statement: Statement) => Promise<readonly Row[]>,
): StatementReads {
  return {
    find: async (query) => (await rows(queries.find(query)))[0],
    list: (query) => rows(queries.list(query)),
    async count(table, condition, options) {
      const [row] = await rows(queries.count(table, condition, options))
      return Number(row?.[0])
    },
    aggregate: async (query) => parseAggregateRows(query, await rows(queries.aggregate(query))),
    async satisfies(table, values, condition, unsaved) {
      const [row] = await rows(queries.satisfies(table, values, condition, unsaved))
      return row?.[0] === 1
    },
    async previewRow(table, values, conditions, unsaved) {
      const preview = conditions.length === 0 ? previewRow(schema, table, values) : undefined
      if (preview !== undefined) return preview
      const [row] = await rows(queries.preview(table, values, conditions, unsaved))
      if (row === undefined) throw new Error('The preview returned no row')
      return row
    },
  }
}
