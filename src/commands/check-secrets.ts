/** The part of `restwell check` about secrets: whether RESTWELL_SECRET_KEY encrypts those of the database. */

import { existsSync } from 'node:fs'
import { listCopiedTables } from '../store/copy/copied-table.ts'
import { openSnapshot } from '../store/copy/open-snapshot.ts'
import { readBatches } from '../store/copy/row-batch.ts'
import { type SecretState, secretStates } from '../store/secrets.ts'
import { parseSqliteUrl } from '../store/sqlite/connection/database-url.ts'
import { StoreOpenError } from '../store/store.ts'

export interface CheckedSecrets {
  /** For people; empty where there is nothing to say. */
  readonly lines: readonly string[]
  /** Whether a start is refused. */
  readonly isRefused: boolean
}

/** The database may be in use. One that does not exist has no secrets yet. */
export async function checkSecrets(
  database: string,
  secretKeys: readonly Uint8Array[],
): Promise<CheckedSecrets> {
  if (isAbsentFile(database)) return { lines: [], isRefused: false }
  try {
    const states = secretStates(await readSecrets(database), secretKeys)
    const lines = messages.flatMap(({ state, format }) => {
      const count = states.filter((one) => one === state).length
      return count === 0 ? [] : [format({ count, all: states.length, keys: secretKeys.length })]
    })
    return { lines, isRefused: states.includes('unknown') }
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error
    return { lines: [`They were not checked. ${error.message}`], isRefused: false }
  }
}

function isAbsentFile(database: string): boolean {
  if (!database.startsWith('file:')) return false
  const location = parseSqliteUrl(database)
  return !('file' in location) || !existsSync(location.file)
}

async function readSecrets(database: string): Promise<readonly Uint8Array[]> {
  // The secrets are the same whatever the definition.
  const schema = { tables: {} }
  const table = listCopiedTables(schema).find(({ name }) => name === '_secrets')
  if (!table) throw new Error('The table of secrets is not copied')
  await using snapshot = await openSnapshot(database, schema)
  const found: Uint8Array[] = []
  for await (const { rows } of readBatches(snapshot, table, undefined)) {
    for (const [, value] of rows) if (value instanceof Uint8Array) found.push(value)
  }
  return found
}

interface SecretCounts {
  readonly count: number
  readonly all: number
  /** The number of keys that are given. */
  readonly keys: number
}

const messages: readonly { readonly state: SecretState; format(counts: SecretCounts): string }[] = [
  {
    state: 'unknown',
    format: ({ count, all }) =>
      `${count} of ${all} are encrypted with a key that RESTWELL_SECRET_KEY does not have, so a start is refused. Add this key.`,
  },
  {
    state: 'plain',
    format: ({ count, all, keys }) =>
      keys === 0
        ? `${count} of ${all} are not encrypted: a copy of the database shows them. Set RESTWELL_SECRET_KEY.`
        : `${count} of ${all} are not encrypted. The next start encrypts them.`,
  },
  {
    state: 'former',
    format: ({ count, all }) =>
      `${count} of ${all} are encrypted with a former key. Keep it until the next start has encrypted them with the first key.`,
  },
  {
    state: 'current',
    format: ({ count, all, keys }) =>
      count === all && keys > 1
        ? `${count} of ${all} are encrypted with the first key. The other keys are not needed any more.`
        : `${count} of ${all} are encrypted with the first key.`,
  },
]
