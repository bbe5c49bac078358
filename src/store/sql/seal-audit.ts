/** Continues the chain of the audit with entries of the change log, for both databases. */

import { randomBytes } from 'node:crypto'
import type { Stored } from '../../definition/model.ts'
import {
  type AuditEntry,
  type AuditMetadata,
  type AuditSubjects,
  type ChainEnd,
  chainEntry,
} from '../audit-chain.ts'
import type { Actor } from '../change-log.ts'
import type { Row } from '../row.ts'
import {
  auditColumnNames,
  auditColumns,
  chainEndSql,
  checkpointStatement,
  eventPrefix,
  parseChainEnd,
  parseCheckpoint,
  textOf,
} from './audit-sql.ts'
import { logColumns } from './change-log-sql.ts'
import type { Dialect, Statement } from './sql-text.ts'
import type { StatementProgram } from './statement-program.ts'

/** Which entries to add, and how many at most. */
export interface SealedEntries {
  readonly subjects: AuditSubjects
  readonly limit: number
}

/** Adds the next entries of the change log. Its transaction must not overlap another of this kind. */
export function* sealEntries(dialect: Dialect, { subjects, limit }: SealedEntries): StatementProgram<void> {
  let end = yield* findChainEnd(dialect)
  const rows = yield unsealedStatement(dialect, end.position, limit)
  const sql = `insert into "_audit" (${auditColumns}) values (${auditColumnNames.map((_, at) => dialect.placeholder(at + 1)).join(', ')})`
  // Once for all entries: the operating system takes long for each call.
  const salts = randomBytes(saltOctets * rows.length)
  for (const [at, row] of rows.entries()) {
    const [before, after] = row.slice(-2)
    const logged = { before: textOf(before), after: textOf(after) }
    const salt = salts.toString('base64url', at * saltOctets, (at + 1) * saltOctets)
    const entry = chainEntry(end, metadataOf(row, subjects), logged, salt)
    yield { sql, values: valuesOf(entry) }
    end = entry
  }
}

const saltOctets = 16

/** The last entry, or the end of the pruned part of a chain without entries. */
export function* findChainEnd(dialect: Dialect): StatementProgram<ChainEnd> {
  const [last] = yield { sql: chainEndSql, values: [] }
  if (last) return parseChainEnd(last)
  const [checkpoint] = yield checkpointStatement(dialect)
  return parseCheckpoint(checkpoint)
}

/** Selects the first and last position of the change log after a position; nulls where there is none. */
export function unsealedExtentStatement({ placeholder }: Dialect, after: number): Statement {
  const end = (name: 'min' | 'max', number: number) =>
    `(select ${name}("position") from "_changes" where "position" > ${placeholder(number)})`
  const sql = `select ${end('min', 1)}, ${end('max', 2)}`
  return { sql, values: [after, after] }
}

/** Selects entries of the change log after a position, with their values as texts. */
function unsealedStatement({ placeholder }: Dialect, after: number, limit: number): Statement {
  const [first, second] = [placeholder(1), placeholder(2)]
  const sql = `select "position", ${logColumns} from "_changes" where "position" > ${first} order by "position" limit ${second}`
  return { sql, values: [after, limit] }
}

function valuesOf(entry: AuditEntry): readonly Stored[] {
  const { number, position, at, kind, table, identity, id, version } = entry
  const { actor = null, request = null, digest, salt = null, hash } = entry
  const head = [number, position, at, kind, table, identity, id, version]
  return [...head, actor, nameOf(actor), request, digest, salt, hash]
}

/** The part of an actor that filters compare. */
function nameOf(actor: string | null): string | null {
  if (actor === null) return null
  const { account, name, subject }: Actor = JSON.parse(actor)
  return account ?? name ?? subject ?? null
}

function metadataOf(row: Row, subjects: AuditSubjects): AuditMetadata {
  const [position, kind, table, identity, id, version, at, action, actor, request, before] = row
  const isEvent = String(table).startsWith(eventPrefix)
  return {
    position: Number(position),
    at: String(at),
    kind: isEvent ? String(kind) : kindOf({ kind, table, action, before }, subjects),
    table: isEvent ? String(table).slice(eventPrefix.length) : String(table),
    identity: String(identity),
    id: String(id),
    version: Number(version),
    actor: textOf(actor),
    request: textOf(request),
  }
}

const changeKinds: Readonly<Record<string, string>> = {
  inserted: 'created',
  replaced: 'updated',
  removed: 'deleted',
}

/** The name of the transition, or the kind of the change; tokens, roles and disabled accounts have kinds of their own. */
function kindOf(
  {
    kind,
    table,
    action,
    before,
  }: Readonly<Record<'kind' | 'table' | 'action' | 'before', Stored | undefined>>,
  { tokens, accounts, roles, disabled }: AuditSubjects,
): string {
  if (table === tokens && kind === 'inserted') return 'token-created'
  if (table === tokens && kind === 'removed') return 'token-revoked'
  const previous =
    table === accounts && kind === 'replaced' && typeof before === 'string' ? JSON.parse(before) : {}
  // The value before the change.
  if (disabled !== undefined && Object.hasOwn(previous, disabled)) {
    return Number(previous[disabled]) === 1 ? 'enabled' : 'disabled'
  }
  if (roles !== undefined && Object.hasOwn(previous, roles)) return 'roles-changed'
  return textOf(action) ?? changeKinds[String(kind)] ?? String(kind)
}
