/** Connects to a suitable host, applies the session settings and checks the server's. */

import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import { unreachable } from '../postgres-failure.ts'
import { PostgresConnection } from './connection.ts'
import type { PostgresDatabaseUrl } from './database-url.ts'

/** Milliseconds. */
const lockTimeout = 2000
const idleInTransactionTimeout = 10_000

/** The oldest supported version of PostgreSQL. */
const minServerVersion = 140_000

/** Reads may use a standby; writes need a primary. */
export type ConnectionPurpose = 'write' | 'read'

/** Opens a connection to the first suitable host. Throws the error of the last one. */
export async function connect(
  location: PostgresDatabaseUrl,
  purpose: ConnectionPurpose = 'write',
): Promise<PostgresConnection> {
  let failure: unknown
  for (const url of location.hosts) {
    const connection = new PostgresConnection(url, location.statementLimit)
    try {
      await connection.open()
      await setUp(connection, location, purpose)
      return connection
    } catch (error) {
      connection.discard()
      failure = error
    }
  }
  throw failure
}

async function setUp(
  connection: PostgresConnection,
  location: PostgresDatabaseUrl,
  purpose: ConnectionPurpose,
): Promise<void> {
  const [facts] = await connection.run(`${settings(location)}; ${factsSql}`)
  const [version, encoding, synchronous, fsync, standby, readOnly] = facts ?? []
  if (Number(version) < minServerVersion) throw fault(`is older than PostgreSQL 14`)
  if (encoding !== 'UTF8') throw fault(`has the encoding ${encoding}; create one with UTF8`)
  if (purpose === 'read') return forbidWrites(connection)
  if (synchronous === 'off') {
    throw fault('has synchronous_commit off and would lose acknowledged writes. Set it to on')
  }
  if (fsync !== 'on') throw fault('has fsync off and would lose acknowledged writes. Set it to on')
  if (standby === 1 || readOnly === 'on') throw unreachable('The host accepts no writes.')
}

/** Prevents writes even where the server would allow them. */
async function forbidWrites(connection: PostgresConnection): Promise<void> {
  await connection.run('set default_transaction_read_only = on')
}

const factsSql = `select current_setting('server_version_num'), current_setting('server_encoding'),
  current_setting('synchronous_commit'), current_setting('fsync'), pg_is_in_recovery(),
  current_setting('transaction_read_only')`

/** Without parallel plans, which cost more than they gain for bounded statements. */
function settings({ schema, statementLimit }: PostgresDatabaseUrl): string {
  return [
    `set statement_timeout = ${statementLimit}`,
    `set lock_timeout = ${lockTimeout}`,
    `set idle_in_transaction_session_timeout = ${idleInTransactionTimeout}`,
    `set default_transaction_isolation = 'read committed'`,
    'set max_parallel_workers_per_gather = 0',
    'set jit = off',
    'set standard_conforming_strings = on',
    ...(schema === undefined ? [] : [`set search_path = ${quoted(schema)}`]),
  ].join('; ')
}

function fault(reason: string): StoreOpenError {
  return new StoreOpenError(`The database ${reason}.`)
}
