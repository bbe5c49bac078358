/**
 * Parses PostgreSQL URLs: one or several hosts, a database and perhaps a schema. Several hosts and
 * `target_session_attrs` are features of libpq that `pg` does not have.
 */

import { StoreOpenError } from '../../store.ts'

export interface PostgresDatabaseUrl {
  /** One URL for each host, in the order they are tried. */
  readonly hosts: readonly string[]
  /** The schema of the tables; undefined for the server's search path. */
  readonly schema: string | undefined
  /** The limit for connections of a node. */
  readonly pool: number
  /** Milliseconds that a statement may take. */
  readonly statementLimit: number
  /** The URL without its password, for messages. */
  readonly displayUrl: string
}

export const defaultPoolSize = 10
const maxPoolSize = 1000
const defaultStatementLimit = 5000
const maxStatementLimit = 600_000
const ownParameters = ['target_session_attrs', 'schema', 'pool', 'statement_timeout']

/** Parsed by hand, because a URL cannot have several hosts. */
const urlForm = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*)@)?([^/?#]*)([^#]*)$/

/** Whether the URL has a scheme of PostgreSQL. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/** Parses `postgres://user:password@one:5432,two:5432/database?schema=shop&pool=20`. Throws StoreOpenError. */
export function parsePostgresUrl(url: string): PostgresDatabaseUrl {
  const [, scheme = '', user = '', hosts = '', rest = ''] = urlForm.exec(url) ?? []
  if (scheme === '') throw badUrl(url, 'Write postgres://user:password@host:5432/database.')
  const parsed = parseUrl(`${scheme}${user}host${rest}`, url)
  const wanted = parsed.searchParams.get('target_session_attrs') ?? 'read-write'
  if (wanted !== 'read-write' && wanted !== 'primary' && wanted !== 'any') {
    throw badUrl(url, `target_session_attrs may be read-write or primary, not '${wanted}'.`)
  }
  const schema = parsed.searchParams.get('schema') ?? undefined
  const pool = parseInteger(parsed, 'pool', defaultPoolSize, maxPoolSize)
  const statementLimit = parseInteger(parsed, 'statement_timeout', defaultStatementLimit, maxStatementLimit)
  for (const name of ownParameters) parsed.searchParams.delete(name)
  const tail = `${parsed.pathname}${parsed.search}`
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${tail}`)
  for (const hostUrl of urls) parseUrl(hostUrl, url)
  return { hosts: urls, schema, pool, statementLimit, displayUrl: withoutPassword(url) }
}

function parseInteger(url: URL, name: string, fallback: number, max: number): number {
  const text = url.searchParams.get(name)
  if (text === null) return fallback
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= max) return number
  throw badUrl(url.href, `${name} may be a number from 1 to ${max}, not '${text}'.`)
}

function parseUrl(text: string, url: string): URL {
  try {
    return new URL(text)
  } catch (cause) {
    throw badUrl(url, 'Write postgres://user:password@host:5432/database.', cause)
  }
}

function badUrl(url: string, remedy: string, cause?: unknown): StoreOpenError {
  const displayUrl = withoutPassword(url)
  return new StoreOpenError(`'${displayUrl}' is not a PostgreSQL URL. ${remedy}`, { cause })
}

/** The URL without passwords. */
export function withoutPassword(url: string): string {
  return url
    .replace(/^(postgres(?:ql)?:\/\/[^:@/?#]*):[^@/?#]*@/, '$1@')
    .replace(/([?&]password=)[^&#]*/g, '$1')
}
