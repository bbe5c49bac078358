/**
 * What a PostgreSQL URL names: one or several hosts of which one may be written to, a database and
 * perhaps a schema in it. Several hosts and `target_session_attrs` are libpq's; `pg` knows neither.
 */

import { StoreOpenError } from '../../store.ts'

export interface PostgresLocation {
  /** One URL for each host, in the order they are tried. */
  readonly hosts: readonly string[]
  /** The schema that has the tables; undefined for what the server's search path says. */
  readonly schema: string | undefined
  /** How many connections a node opens at most. */
  readonly pool: number
  /** Milliseconds that a statement may take. */
  readonly statementLimit: number
  /** The URL without its password, for people to read. */
  readonly shown: string
}

export const defaultPoolSize = 10
const maxPoolSize = 1000
const defaultStatementLimit = 5000
const maxStatementLimit = 600_000
const ownParameters = ['target_session_attrs', 'schema', 'pool', 'statement_timeout']

/** The whole authority is taken apart by hand: a URL has no place for several hosts. */
const urlForm = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*)@)?([^/?#]*)([^#]*)$/

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/** `postgres://user:password@one:5432,two:5432/database?schema=shop&pool=20`. */
export function parsePostgresUrl(url: string): PostgresLocation {
  const [, scheme = '', user = '', hosts = '', rest = ''] = urlForm.exec(url) ?? []
  if (scheme === '') throw badUrl(url, 'Write postgres://user:password@host:5432/database.')
  const whole = parseUrl(`${scheme}${user}host${rest}`, url)
  const wanted = whole.searchParams.get('target_session_attrs') ?? 'read-write'
  if (wanted !== 'read-write' && wanted !== 'primary' && wanted !== 'any') {
    throw badUrl(url, `target_session_attrs may be read-write or primary, not '${wanted}'.`)
  }
  const schema = whole.searchParams.get('schema') ?? undefined
  const pool = parseWholeNumber(whole, 'pool', defaultPoolSize, maxPoolSize)
  const statementLimit = parseWholeNumber(
    whole,
    'statement_timeout',
    defaultStatementLimit,
    maxStatementLimit,
  )
  for (const name of ownParameters) whole.searchParams.delete(name)
  const tail = `${whole.pathname}${whole.search}`
  const each = hosts.split(',').map((host) => `${scheme}${user}${host}${tail}`)
  for (const one of each) parseUrl(one, url)
  return { hosts: each, schema, pool, statementLimit, shown: withoutPassword(url) }
}

function parseWholeNumber(url: URL, name: string, usual: number, most: number): number {
  const text = url.searchParams.get(name)
  if (text === null) return usual
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= most) return number
  throw badUrl(url.href, `${name} may be a number from 1 to ${most}, not '${text}'.`)
}

function parseUrl(text: string, url: string): URL {
  try {
    return new URL(text)
  } catch (cause) {
    throw badUrl(url, 'Write postgres://user:password@host:5432/database.', cause)
  }
}

function badUrl(url: string, remedy: string, cause?: unknown): StoreOpenError {
  const shown = withoutPassword(url)
  return new StoreOpenError(`'${shown}' names no PostgreSQL database. ${remedy}`, { cause })
}

/** The URL as it may be shown: what stands between the user and the `@` is left out. */
export function withoutPassword(url: string): string {
  return url
    .replace(/^(postgres(?:ql)?:\/\/[^:@/?#]*):[^@/?#]*@/, '$1@')
    .replace(/([?&]password=)[^&#]*/g, '$1')
}
