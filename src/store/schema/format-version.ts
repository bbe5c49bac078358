/**
 * The format of databases and of backups. A backup has the tables of its database, so both have one number. A database
 * stores it in `_meta` under `format`, a backup in its first line. See decision 0100.
 */

import { StoreOpenError } from '../store.ts'
import type { MetaRecords } from './meta-records.ts'

/**
 * Goes up when what a database or a backup stores changes: until the first release once for a round of changes, from
 * then on with every change. `test/store/format.test.ts` fails when the system tables change, so that this is decided.
 */
export const FORMAT = 3

/** Throws a StoreOpenError where the database, such as `The database file a.db`, has another format. */
export function requireFormat(database: string, records: MetaRecords): void {
  const found = records.get('format')
  if (found === String(FORMAT)) return
  if (found !== undefined) throw new StoreOpenError(`${database} ${describeOtherFormat(found)}.`)
  const remedy = 'Name another database, or put a backup in its place.'
  throw new StoreOpenError(
    `${database} has no format entry in its table _meta: another program made it, or the entry was removed. ${remedy}`,
  )
}

/** Why a database or a backup of another format, older or newer, is refused, and how its items are moved. */
export function describeOtherFormat(found: number | string): string {
  return [
    `has format ${found}, and this version of Restwell uses format ${FORMAT} only`,
    'Use it with the version that wrote it. To move its items, `restwell export` each collection with that version and `restwell import` the files into a new database with this one',
    'An export has files only with --files, and no password hashes, second factors, tokens, webhooks, change log, history or audit',
  ].join('. ')
}
