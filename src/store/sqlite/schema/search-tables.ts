/** Creates, drops and fills the full-text indexes of a file. */

import type { PlanExtent } from '../../schema/migration-plan.ts'
import { findSearchDifference, searchRecord } from '../../schema/search-records.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { splitWords } from '../../search-words.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { createSearchSql, dropSearchSql, sqliteSearch } from './search-index.ts'
import { loadRecords, saveRecord } from './stored-records.ts'

const batchSize = 500

/** Makes the indexes fit the schema, within the caller's transaction. */
export function updateSearchIndexes(connection: SqliteConnection, schema: Schema, extent: PlanExtent): void {
  const records = loadRecords(connection)
  const { stale, lacking } = findSearchDifference(records, { schema, extent })
  const { database } = connection
  for (const name of stale) {
    for (const sql of dropSearchSql(name)) database.exec(sql)
    connection.cachedStatement('delete from "_meta" where "name" = ?').run(searchRecord(name))
  }
  for (const table of lacking) {
    for (const sql of createSearchSql(table)) database.exec(sql)
    saveRecord(connection, searchRecord(table.name), JSON.stringify(table.search))
    fillIndex(connection, table)
  }
}

/** Stores the words of present rows, in batches. */
function fillIndex(connection: SqliteConnection, table: Table): void {
  const columns = ['_identity', ...table.search].map(quoted).join(', ')
  const next = connection.prepare(
    `select ${columns} from ${quoted(table.name)} where "_identity" > ? order by "_identity" limit ${batchSize}`,
  )
  let last = ''
  for (;;) {
    const rows = next.all(last)
    for (const [identity, ...texts] of rows) {
      const words = splitWords(texts.map((text) => text ?? '').join('\n'))
      for (const { sql, values } of sqliteSearch.storeWords(table, String(identity), words)) {
        connection.cachedStatement(sql).run(...values)
      }
      last = String(identity)
    }
    if (rows.length < batchSize) return
  }
}
