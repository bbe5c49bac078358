/** The collections with all rights, for scripts and tests: each call is one request, with checks and hooks. */

import { randomUUIDv7 } from 'node:crypto'
import { actorOf } from '../access/actor.ts'
import { hashPassword } from '../access/password.ts'
import { system } from '../access/principal.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { ResourceModel } from '../definition/model.ts'
import { type Refusal, refuse } from '../refusal.ts'
import type { WriteRefusal } from '../store/store.ts'
import { LostRace, retryLostRaces, type Turn } from '../write/lost-race.ts'
import type { LogicContext } from './collected-run.ts'
import { createCollection, type LogicMethods, LogicProblem } from './logic-collection.ts'
import { LogicRun } from './logic-run.ts'

type SystemContext = LogicContext & Pick<ServiceContext, 'changes' | 'logic'>

/** Milliseconds of a call, with all its attempts. */
const callTime = 30_000

/** The methods of a collection. They reject with a LogicProblem where a request would be refused. */
export function createSystemCollection(service: SystemContext, resource: ResourceModel): LogicMethods {
  const call =
    <Name extends keyof LogicMethods>(name: Name) =>
    (...args: Parameters<LogicMethods[Name]>) =>
      retryLostRaces(() => perform(service, resource, name, args), turnOf(service, resource))
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

async function perform(
  service: SystemContext,
  resource: ResourceModel,
  name: keyof LogicMethods,
  args: readonly unknown[],
): Promise<unknown> {
  const requestId = randomUUIDv7()
  const run = LogicRun.begin(service, { caller: system, requestId })
  const methods = createCollection({ run, resource, caller: system, hashPassword })
  const method = methods[name] as (...given: readonly unknown[]) => Promise<unknown>
  const result = await method(...args)
  if (run.writes.every(({ kind }) => kind === 'repeat')) return result
  const outcome = await service.store.write(run.writes, { actor: actorOf(system), request: requestId })
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
