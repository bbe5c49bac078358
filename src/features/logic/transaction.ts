/** Several calls outside of requests as one transaction. See decision 0053. */

import { randomUUIDv7 } from 'node:crypto'
import { isSameCaller } from '../../access/caller-check.ts'
import { hashPassword } from '../../access/password.ts'
import { actorOf, type Principal } from '../../access/principal.ts'
import type { Caller } from '../../definition/logic/logic-tools.ts'
import { LostRace, retryLostRaces } from '../../requests/write/lost-race.ts'
import { currentTimestamp } from '../../requests/write/prepare-insert.ts'
import { limitTime } from './limit-time.ts'
import { asProblem } from './logic-collection.ts'
import { LogicRun } from './logic-run.ts'
import { refuseFrom } from './refuse-tool.ts'
import { callTime, codeOf, commitRun, type SystemAccess, type SystemContext } from './system-access.ts'
import { type CodeTools, callsWithin, createTools, type ToolCalls } from './tools.ts'

export interface TransactionContext {
  readonly service: SystemContext
  readonly access: SystemAccess
  /** The place of the code in the definition. */
  readonly place: string
  /** Aborted when the service stops. */
  readonly ending: AbortSignal
}

/** The rights of an attempt, and its time. */
export interface TransactionAttempt {
  readonly calls: ToolCalls
  readonly caller: Principal
  readonly signal: AbortSignal
}

/**
 * The result of the work. Its writes are committed together when it resolves. The work runs again after a conflict with
 * other writes, and after a change of the caller's rights.
 */
export function transact<Result>(
  context: TransactionContext,
  work: (attempt: TransactionAttempt) => Promise<Result>,
): Promise<Result> {
  const { service, place, ending } = context
  const attempt = () =>
    limitTime({ place, timeout: callTime, ending }, (signal) => attemptOnce(context, signal, work))
  return retryLostRaces(attempt, {
    milliseconds: callTime,
    run: (milliseconds, locked) => service.store.withNamedLock(place, milliseconds, locked),
  })
}

async function attemptOnce<Result>(
  { service, access, place }: TransactionContext,
  signal: AbortSignal,
  work: (attempt: TransactionAttempt) => Promise<Result>,
): Promise<Result> {
  const { job, attribution } = access
  const caller = await access.findCaller()
  const { actor, request: requestId = randomUUIDv7() } = attribution ?? { actor: actorOf(caller) }
  const code = codeOf(access, caller)
  const run = LogicRun.begin(service, { caller, requestId }, { code, made: job?.made })
  const nested = run.nested(place, code)
  const hash = (password: string) => hashPassword(password, { cost: service.passwordCost })
  const result = await run.transact(async () => {
    const returned = await work({ calls: callsWithin(nested, place, hash), caller, signal })
    nested.end()
    return returned
  })
  if (!isSameCaller(caller, await access.findCaller())) throw new LostRace()
  // The promise was rejected already: the code may have begun again elsewhere.
  signal.throwIfAborted()
  await commitRun(service, run, { call: place, actor, lease: job?.lease })
  return result
}

/** The transaction of a program outside of the definition. Rejects with a LogicProblem where a request would be refused. */
export function transactForProgram(
  context: Omit<TransactionContext, 'place'>,
  caller: Caller,
  work: (tools: CodeTools) => unknown,
): Promise<unknown> {
  const place = 'The transaction'
  const common = { place, caller, refuse: refuseFrom(place), requestId: undefined }
  return asProblem('transaction', () =>
    transact({ ...context, place }, async ({ calls, caller: principal, signal }) => {
      const now = currentTimestamp(context.service)
      return work(createTools({ ...common, calls, principal, now, signal }, principal))
    }),
  )
}
