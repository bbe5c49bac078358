/** The audit on PostgreSQL. One node at a time continues the chain. */

import type { AuditStore } from '../../audit-store.ts'
import { sealEntries } from '../../sql/seal-audit.ts'
import { createAuditStore } from '../../sql/sql-audit-store.ts'
import { runQueries } from '../../sql/statement-program.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { Pool } from '../connection/pool.ts'
import { postgresDialect } from '../postgres-dialect.ts'
import { assignPositions } from './read-change-log.ts'

const lockSql = `select pg_advisory_xact_lock(hashtextextended('restwell:audit:' || current_schema(), 0))`

/** Turns errors of the database into StoreUnavailable. */
type TranslateErrors = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createPostgresAudit(pool: Pool, translateErrors: TranslateErrors): AuditStore {
  const inTransaction = (work: (connection: PostgresConnection) => Promise<void>) =>
    translateErrors(() =>
      pool.use(async (connection) => {
        await connection.run('begin')
        await connection.rows({ sql: lockSql, values: [] })
        await work(connection)
        await connection.commit()
      }),
    )
  return createAuditStore({
    dialect: postgresDialect,
    rows: (statement) => translateErrors(() => pool.use((connection) => connection.rows(statement))),
    run: (statements) =>
      inTransaction(async (connection) => {
        for (const statement of statements) await connection.rows(statement)
      }),
    seal: (entries) =>
      inTransaction((connection) =>
        runQueries(sealEntries(postgresDialect, entries), (statement) => connection.rows(statement)),
      ),
    settle: () => translateErrors(() => pool.use(assignPositions)),
  })
}
