/**
 * Limits wrong codes of second factors, on all nodes together (docs/reference/http/limits.md, "Limits"). Only a person who has
 * proved the first factor can enter one. All unknown browsers of an account count together, whatever their addresses; a
 * browser that has completed a sign-in counts for itself, so that others cannot lock it out.
 */

import { codeAttemptsName } from '../definition/code-attempts-resource.ts'
import type { Model, ResourceModel } from '../definition/model.ts'
import { type Refusal, refuse, unavailable } from '../refusal.ts'
import { all, compares, equals } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { deleteRow, readField, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { findRow, insertFields, listRows, stillCounts } from '../store/table-rows.ts'
import type { RepeatRead, Write } from '../store/write.ts'
import { sha256 } from './secret-token.ts'

export interface CodeAttemptsContext {
  readonly model: Model
  readonly store: Store
  readonly clock: { readonly now: () => number }
}

/** Whose wrong codes are counted together. */
export interface CodeSource {
  /** The identity of the account. */
  readonly account: string
  /** The id of a browser that the account knows; undefined: all others. */
  readonly browser: string | undefined
}

/** Wrong codes in succession. */
const maxWrong = 10
/** Milliseconds without an attempt after the last of them; also those after which a wrong code is forgotten. */
const pause = 15 * 60_000
/** More than concurrent requests can fail: each time one of them is counted. */
const maxAttempts = 2 * maxWrong

/** Refuses 429 where too many codes were wrong. */
export async function requireCodesLeft(context: CodeAttemptsContext, source: CodeSource): Promise<void> {
  const row = await findCounter(context, source)
  if (row && isAtLimit(context, row)) throw tooManyCodes(context, row)
}

/** Refuses writes, as stale, where too many codes are wrong by then. */
export function stillCodesLeft(context: CodeAttemptsContext, source: CodeSource): RepeatRead {
  const isFull = compares(['wrong'], 'gte', maxWrong)
  const isRecent = compares(['lastAt'], 'gt', new Date(forgottenAt(context)).toISOString())
  const condition = all([equals(['source'], sourceDigest(source)), isFull, isRecent])
  return stillCounts(tableOf(context), condition, 0)
}

/**
 * Counts a wrong code; with the last one, these writes belong to it. Returns whether it was the last one. Refuses 429 where
 * others were the last.
 */
export async function countWrongCode(
  context: CodeAttemptsContext,
  source: CodeSource,
  atLimit: () => Promise<readonly Write[]>,
): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const row = await findCounter(context, source)
    if (row && isAtLimit(context, row)) throw tooManyCodes(context, row)
    const wrong = row && !isForgotten(context, row) ? wrongIn(context, row) + 1 : 1
    const isLast = wrong === maxWrong
    const counted = row ? [changeOf(context, row, wrong)] : await firstOf(context, source)
    const { kind } = await context.store.write([...counted, ...(isLast ? await atLimit() : [])])
    if (kind === 'done') return isLast
  }
  throw unavailable('Too many codes are entered for this account at once.')
}

function tableOf({ model }: CodeAttemptsContext): ResourceModel {
  const table = model.ownTables.get(codeAttemptsName)
  if (!table) throw new Error('Codes need accounts')
  return table
}

function sourceDigest({ account, browser }: CodeSource): string {
  return sha256(JSON.stringify([account, browser ?? null]))
}

async function findCounter(context: CodeAttemptsContext, source: CodeSource): Promise<Row | undefined> {
  return findRow(context.store, tableOf(context), sourceDigest(source), 'source')
}

function wrongIn(context: CodeAttemptsContext, row: Row): number {
  return Number(readField(tableOf(context), row, 'wrong'))
}

function lastAtIn(context: CodeAttemptsContext, row: Row): number {
  return Date.parse(String(readField(tableOf(context), row, 'lastAt')))
}

/** The time of the last wrong code that counts no more. */
function forgottenAt({ clock }: CodeAttemptsContext): number {
  return clock.now() - pause
}

function isForgotten(context: CodeAttemptsContext, row: Row): boolean {
  return lastAtIn(context, row) <= forgottenAt(context)
}

function isAtLimit(context: CodeAttemptsContext, row: Row): boolean {
  return wrongIn(context, row) >= maxWrong && !isForgotten(context, row)
}

function tooManyCodes(context: CodeAttemptsContext, row: Row): Refusal {
  const seconds = Math.max(1, Math.ceil((lastAtIn(context, row) - forgottenAt(context)) / 1000))
  const detail = 'Too many codes were wrong. Wait, then sign in with your password again.'
  return refuse('too-many-requests', { detail, fields: { 'Retry-After': String(seconds) } })
}

function changeOf(context: CodeAttemptsContext, row: Row, wrong: number): Write {
  const at = new Date(context.clock.now()).toISOString()
  return updateFields(tableOf(context), row, at, { wrong, lastAt: at })
}

/** The first wrong code of a source takes the place of those of the account that are forgotten. */
async function firstOf(context: CodeAttemptsContext, source: CodeSource): Promise<readonly Write[]> {
  const resource = tableOf(context)
  const at = new Date(context.clock.now()).toISOString()
  const stored = {
    account: source.account,
    source: sourceDigest(source),
    wrong: 1,
    lastAt: at,
  }
  const others = await listRows(context.store, resource, {
    condition: equals(['account'], source.account),
    limit: 100,
  })
  const forgotten = others.filter((row) => isForgotten(context, row))
  return [...forgotten.map((row) => deleteRow(resource, row, at)), insertFields(resource, at, stored)]
}
