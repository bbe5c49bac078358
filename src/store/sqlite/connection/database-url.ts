/** Parses URLs of SQLite databases: a file, or a temporary one. */

import { fileURLToPath } from 'node:url'
import { StoreOpenError } from '../../store.ts'

export type SqliteDatabaseUrl = { readonly file: string } | { readonly temporary: true }

/**
 * Parses `file:data/restwell.db`, `file:///var/lib/restwell.db` or `file::memory:`. Throws a
 * StoreOpenError for other URLs.
 */
export function parseSqliteUrl(url: string): SqliteDatabaseUrl {
  if (url === 'file::memory:') return { temporary: true }
  const path = url.startsWith('file://') ? pathOf(url) : url.slice('file:'.length)
  if (!url.startsWith('file:') || path === '') throw badUrl(url)
  return { file: path }
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url)
  } catch (cause) {
    throw badUrl(url, cause)
  }
}

function badUrl(url: string, cause?: unknown): StoreOpenError {
  const form = 'Write file:data/restwell.db, file:///var/lib/restwell.db or file::memory:'
  return new StoreOpenError(`'${url}' names no database file. ${form}`, { cause })
}
