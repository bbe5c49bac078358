/**
 * What a PostgreSQL URL names: one or several hosts of which one may be written to, a database and
 * perhaps a schema in it. Several hosts and `target_session_attrs` are libpq's; `pg` knows neither.
 */

import { StoreFault } from '../store.ts'

export interface PostgresLocation {
  /** One URL for each host, in the order they are tried. */
  readonly hosts: readonly string[]
  /** The schema that has the tables; undefined for what the server's search path says. */
  readonly schema: string | undefined
  /** How many connections a node opens at most. */
  readonly pool: number
  /** The URL without its password, for people to read. */
  readonly shown: string
}

export const POOL_SIZE = 10
const LARGEST_POOL = 1000

/** The whole authority is taken apart by hand: a URL has no place for several hosts. */
const form = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*)@)?([^/?#]*)([^#]*)$/

export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/** `postgres://user:password@one:5432,two:5432/database?schema=shop&pool=20`. */
export function parsePostgresUrl(url: string): PostgresLocation {
  const [, scheme = '', user = '', hosts = '', rest = ''] = form.exec(url) ?? []
  if (scheme === '') throw badUrl(url, 'Write postgres://user:password@host:5432/database.')
  const whole = parsed(`${scheme}${user}host${rest}`, url)
  const wanted = whole.searchParams.get('target_session_attrs') ?? 'read-write'
  if (wanted !== 'read-write' && wanted !== 'primary' && wanted !== 'any') {
    throw badUrl(url, `target_session_attrs may be read-write or primary, not '${wanted}'.`)
  }
  const schema = whole.searchParams.get('schema') ?? undefined
  const pool = poolSize(whole.searchParams.get('pool'), url)
  for (const name of ['target_session_attrs', 'schema', 'pool']) whole.searchParams.delete(name)
  const tail = `${whole.pathname}${whole.search}`
  const each = hosts.split(',').map((host) => `${scheme}${user}${host}${tail}`)
  for (const one of each) parsed(one, url)
  return { hosts: each, schema, pool, shown: withoutPassword(url) }
}

function poolSize(text: string | null, url: string): number {
  if (text === null) return POOL_SIZE
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (size >= 1 && size <= LARGEST_POOL) return size
  throw badUrl(url, `pool may be a number from 1 to ${LARGEST_POOL}, not '${text}'.`)
}

function parsed(text: string, url: string): URL {
  try {
    return new URL(text)
  } catch (cause) {
    throw badUrl(url, 'Write postgres://user:password@host:5432/database.', cause)
  }
}

function badUrl(url: string, remedy: string, cause?: unknown): StoreFault {
  const shown = withoutPassword(url)
  return new StoreFault(`'${shown}' names no PostgreSQL database. ${remedy}`, { cause })
}

/** The URL as it may be shown: what stands between the user and the `@` is left out. */
export function withoutPassword(url: string): string {
  return url
    .replace(/^(postgres(?:ql)?:\/\/[^:@/?#]*):[^@/?#]*@/, '$1@')
    .replace(/([?&]password=)[^&#]*/g, '$1')
}
