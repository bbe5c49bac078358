/** Opening a PostgreSQL store: the tables, then the pool. */

import type { Notice } from '../../http/happening.ts'
import { noticeKept } from '../migration.ts'
import type { Schema } from '../schema.ts'
import { evolve } from './evolution.ts'
import { faultAt } from './failure.ts'
import { parsePostgresUrl } from './location.ts'
import { Pool } from './pool.ts'
import { PostgresStore } from './postgres-store.ts'
import { Replicas } from './replicas.ts'
import { connect } from './session.ts'

export interface PostgresOptions {
  readonly url: string
  readonly schema: Schema
  readonly notice: Notice
  /** Standbys that may be read from where an answer may be old. */
  readonly replicas?: readonly string[]
}

/** Opens the database, made or evolved to fit the schema. Throws StoreFault where that cannot be. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { url, schema, notice } = options
  const location = parsePostgresUrl(url)
  try {
    const { kept } = await evolve(location, schema, 'start')
    noticeKept(notice, kept)
  } catch (error) {
    throw faultAt(location.shown, error)
  }
  const pool = new Pool({ size: location.pool, connect: () => connect(location), notice })
  const { replicas: urls = [] } = options
  if (urls.length === 0) return new PostgresStore(pool, schema, notice)
  const replicas = new Replicas({ urls, schema, primary: { pool, location }, notice })
  return new PostgresStore(pool, schema, notice, replicas)
}
