/** The collections with all rights, for scripts and tests: each call is one request, with checks and hooks. */

import { randomUUIDv7 } from 'node:crypto'
import { actorOf } from '../access/actor.ts'
import { hashPassword } from '../access/password.ts'
import { type Principal, system } from '../access/principal.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { ResourceModel } from '../definition/model.ts'
import { type Refusal, refuse } from '../refusal.ts'
import type { Attribution } from '../store/change-log.ts'
import type { WriteRefusal } from '../store/write.ts'
import { LostRace, retryLostRaces, type Turn } from '../write/lost-race.ts'
import type { LogicContext } from './collected-run.ts'
import { createCollection, type LogicMethods, LogicProblem } from './logic-collection.ts'
import { LogicRun } from './logic-run.ts'

export type SystemContext = LogicContext &
  Pick<ServiceContext, 'logic'> & { readonly changes: Pick<ServiceContext['changes'], 'wake'> }

/** Whose rights the calls have, and to whom their changes are attributed. */
export interface SystemAccess {
  readonly caller: Principal
  readonly attribution: Attribution
}

const scriptAccess: SystemAccess = { caller: system, attribution: { actor: actorOf(system) } }

/** Milliseconds of a call, with all its attempts. */
const callTime = 30_000

/** The methods of a collection. They reject with a LogicProblem where a request would be refused. */
export function createSystemCollection(
  service: SystemContext,
  resource: ResourceModel,
  access: SystemAccess = scriptAccess,
): LogicMethods {
  const call =
    <Name extends keyof LogicMethods>(name: Name) =>
    (...args: Parameters<LogicMethods[Name]>) =>
      retryLostRaces(() => perform({ service, resource, access }, name, args), turnOf(service, resource))
  return {
    list: call('list'),
    count: call('count'),
    get: call('get'),
    create: call('create'),
    patch: call('patch'),
    replace: call('replace'),
    remove: call('remove'),
  } as LogicMethods
}

interface CalledCollection {
  readonly service: SystemContext
  readonly resource: ResourceModel
  readonly access: SystemAccess
}

async function perform(
  { service, resource, access }: CalledCollection,
  name: keyof LogicMethods,
  args: readonly unknown[],
): Promise<unknown> {
  const { actor, request: requestId = randomUUIDv7() } = access.attribution
  const run = LogicRun.begin(service, { caller: system, requestId })
  const methods = createCollection({ run, resource, caller: access.caller, hashPassword })
  const method = methods[name] as (...given: readonly unknown[]) => Promise<unknown>
  const result = await method(...args)
  if (run.writes.every(({ kind }) => kind === 'repeat')) return result
  const outcome = await service.store.write(run.writes, { actor, request: requestId })
  service.changes.wake()
  if (outcome.kind === 'done') return result
  throw refusalOf(`${resource.name}.${name}`, outcome.reason)
}

function refusalOf(call: string, reason: WriteRefusal): LostRace | LogicProblem {
  const refusal = refusalTypes[reason.kind]
  return refusal ? new LogicProblem(call, refusal) : new LostRace()
}

const refusalTypes: Readonly<Partial<Record<WriteRefusal['kind'], Refusal>>> = {
  duplicate: refuse('duplicate', { detail: 'Another item has the same values.' }),
  referenced: refuse('referenced', { detail: 'Other items refer to it.' }),
  'too-many': refuse('referenced', { detail: 'Deleting it would delete too many other items with it.' }),
  forbidden: refuse('forbidden'),
}

function turnOf({ logic, store }: SystemContext, resource: ResourceModel): Turn<unknown> | undefined {
  if (!logic?.runsHooks(resource)) return undefined
  return {
    milliseconds: callTime,
    run: (milliseconds, work) => store.withTurn(resource.name, milliseconds, work),
  }
}
