/** The tools of hooks and actions: the collections by name, and what belongs to the request. */

import { type Principal, system } from '../../access/principal.ts'
import type { LogicCaller } from '../../definition/logic/logic-tools.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { didYouMean } from '../../definition/name-suggestion.ts'
import { type ProblemName, problemTypes, type Refusal, refuse } from '../../refusal.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import type { Store } from '../../store/store.ts'
import { idOf } from '../../views/uri.ts'
import type { CollectedRun } from './collected-run.ts'
import { createCollection } from './logic-collection.ts'

/** The values that `set` gave, by field name; null removes a value. */
export type ItemChanges = Map<string, unknown>

/** Thrown by the tool `refuse`. */
export class HookRefusal extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.name = 'HookRefusal'
    this.refusal = refusal
  }
}

/** Where code runs, and until when. */
export interface ToolContext {
  readonly run: CollectedRun
  readonly signal: AbortSignal
  /** The place of the code in the definition. */
  readonly place: string
}

export interface HookContext extends ToolContext {
  readonly resource: ResourceModel
  readonly previous: object | undefined
  /** Filled by `set`. */
  readonly changes: ItemChanges
}

export async function createHookTools(context: HookContext): Promise<object> {
  const { resource, previous, changes, place } = context
  return {
    ...(await createActionTools(context)),
    previous,
    set: (given: unknown) => {
      for (const [name, value] of Object.entries(Object(given))) {
        requireField(place, resource, name)
        changes.set(name, value)
      }
    },
  }
}

export async function createActionTools({ run, signal, place }: ToolContext): Promise<object> {
  const caller = await describeCaller(run.service, run.request.caller)
  return {
    ...collectionsOf(run, system),
    as: (given: unknown) => {
      if (given !== caller) throw new LogicFailure(place, `'as' takes the tool 'caller', in ${place}.`)
      return collectionsOf(run, run.request.caller)
    },
    caller,
    now: run.now,
    refuse: refuseFrom(place),
    // Only jobs show progress.
    report: () => undefined,
    requestId: run.request.requestId,
    signal,
  }
}

function collectionsOf(run: CollectedRun, caller: Principal): object {
  const own = [...run.service.model.resources.values()].filter(({ declared }) => declared)
  return Object.fromEntries(
    own.map((resource) => [resource.name, createCollection({ run, resource, caller })]),
  )
}

/** The caller as code sees it. */
export async function describeCaller(
  { model, store }: Pick<CollectedRun['service'], 'model' | 'store'>,
  caller: Principal,
): Promise<LogicCaller> {
  if (caller.kind === 'external') return { kind: 'external', roles: [...caller.roles] }
  if (caller.kind !== 'account') return { kind: 'anonymous', roles: [] }
  const id = await accountId(store, model.accounts?.resource, caller.identity)
  return { kind: 'account', id, roles: [...caller.roles] }
}

async function accountId(store: Store, accounts: ResourceModel | undefined, identity: string) {
  if (!accounts?.keyField) return identity
  const row = await store.find({ table: accounts.name, column: '_identity', value: identity, evaluated: [] })
  return row ? idOf(accounts, row) : identity
}

/** The tool `refuse` of the hook at this place. */
export function refuseFrom(place: string) {
  return (type: unknown, detail: unknown): never => {
    throw new HookRefusal(createRefusal(place, type, detail))
  }
}

function createRefusal(place: string, type: unknown, detail: unknown): Refusal {
  const known = Object.keys(problemTypes).filter((name) => isClientError(name as ProblemName))
  if (typeof type === 'string' && known.includes(type)) {
    const fields = problemTypes[type as ProblemName].status === 429 ? { 'Retry-After': '1' } : {}
    return refuse(type as ProblemName, {
      fields,
      ...(detail === undefined ? {} : { detail: String(detail) }),
    })
  }
  const hint = typeof type === 'string' ? (didYouMean(type, known) ?? '') : ''
  throw new LogicFailure(place, `${place} refuses with an unknown 4xx type '${String(type)}'. ${hint}`.trim())
}

function isClientError(type: ProblemName): boolean {
  const { status } = problemTypes[type]
  return status >= 400 && status < 500
}

function requireField(place: string, { fieldByName, name: resource }: ResourceModel, name: string): void {
  const known = fieldByName.get(name)
  if (known && !known.kind.isHashed) return
  const hint = didYouMean(name, fieldByName.keys()) ?? ''
  throw new LogicFailure(place, `${place} sets '${name}', which ${resource} does not have. ${hint}`.trim())
}
