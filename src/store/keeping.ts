/**
 * Writes beside rows: an answer kept with the effect it tells of, so that neither is ever there
 * without the other; and the demand that a table has not changed since it was looked at.
 */

import type { AnswerWrite, ExpectWrite, WriteRefusal } from './store.ts'
import { type Program, Violation, type Work } from './writes.ts'

/** How many answers whose time is over go with each new one: the table cannot grow for ever. */
const SWEPT = 10

/** Refused where an answer is kept under the name already and its time is not over. */
export function* keeping(
  { statements }: Work,
  { name, fingerprint, text, now, until }: AnswerWrite,
): Program<WriteRefusal | undefined> {
  const [first, second, third, fourth] = [1, 2, 3, 4].map((n) => statements.dialect.placeholder(n))
  const own = `delete from "_replays" where "name" = ${first} and "until" <= ${second}`
  yield { sql: own, values: [name, now] }
  const columns = '"name", "fingerprint", "answer", "until"'
  const sql = `insert into "_replays" (${columns}) values (${first}, ${second}, ${third}, ${fourth})`
  try {
    yield { sql, values: [name, fingerprint, text, until] }
  } catch (cause) {
    if (cause instanceof Violation) return { kind: 'answered' }
    throw cause
  }
  const over = `select "name" from "_replays" where "until" <= ${first} order by "until" limit ${SWEPT}${statements.dialect.skipLocked}`
  yield { sql: `delete from "_replays" where "name" in (${over})`, values: [now] }
  return undefined
}

export function* expectation(
  { statements }: Work,
  { table, mark }: ExpectWrite,
): Program<WriteRefusal | undefined> {
  const [found] = yield { sql: statements.dialect.unchanged, values: [table, mark] }
  return found === undefined ? { kind: 'stale' } : undefined
}
