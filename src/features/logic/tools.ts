/** The tools of code: the collections by name, transactions, and facts about the call. */

import { type Principal, system } from '../../access/principal.ts'
import type { Caller } from '../../definition/logic/logic-tools.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { didYouMean } from '../../definition/name-suggestion.ts'
import { describeCaller } from '../../requests/context/described-caller.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import type { CollectedRun } from './collected-run.ts'
import { type CollectionContext, createCollection } from './logic-collection.ts'
import { createMailTool, type GivenMail, queueMail, type SendingTool } from './mail-tool.ts'
import { refuseFrom } from './refuse-tool.ts'

/** How code reads: within one run, or with a read of its own for each call. */
export interface ReadCalls {
  /** The collections by name, with the rights of the caller. */
  collectionsFor(caller: Principal): object
}

/** How code writes: within one run, or with a transaction for each call. */
export interface ToolCalls extends ReadCalls {
  /** Queues a mail, whose values are not checked yet. */
  sendMail(...mail: GivenMail): Promise<void>
  /** Makes the calls of the work one transaction. */
  transaction<Result>(caller: Principal, work: (calls: ToolCalls) => Promise<Result>): Promise<Result>
}

export interface ToolContext<Calls extends ReadCalls = ToolCalls> {
  readonly calls: Calls
  /** The place of the code in the definition. */
  readonly place: string
  readonly caller: Caller
  /** Undefined where nothing can be done in the name of the caller any more. */
  readonly principal: Principal | undefined
  readonly now: string
  readonly refuse: ReturnType<typeof refuseFrom>
  /** Undefined where no request has caused the call. */
  readonly requestId: string | undefined
  readonly signal: AbortSignal
}

/** The tools that write, beside the collections. */
export interface CodeTools {
  readonly mail: SendingTool
  transaction(work: (tools: CodeTools) => unknown): Promise<unknown>
}

/** The tools that all code has that writes, with the rights of a principal. */
export function createTools(context: ToolContext, rights: Principal): CodeTools {
  const { calls } = context
  return {
    ...commonTools(context, rights, createTools),
    mail: createMailTool(calls.sendMail),
    transaction: (work: (tools: CodeTools) => unknown) => {
      const result = calls.transaction(rights, async (joined) =>
        work(createTools({ ...context, calls: joined }, rights)),
      )
      // A call that is not awaited must not end the process.
      result.catch(() => undefined)
      return result
    },
  }
}

/** The tools of code that only reads. */
function readTools(context: ToolContext<ReadCalls>, rights: Principal): object {
  return commonTools(context, rights, readTools)
}

/** `createFor` creates the same tools with other rights. */
function commonTools<Calls extends ReadCalls>(
  context: ToolContext<Calls>,
  rights: Principal,
  createFor: (context: ToolContext<Calls>, rights: Principal) => object,
): object {
  const { calls, place, caller, principal, now, refuse, requestId, signal } = context
  return {
    ...calls.collectionsFor(rights),
    as: (given: unknown) => {
      if (given !== caller) throw new LogicFailure(place, `'as' takes the tool 'caller', in ${place}.`)
      if (principal) return createFor(context, principal)
      throw new LogicFailure(place, `The account of the caller, or its token, is gone, in ${place}.`)
    },
    ...{ caller, now, refuse, requestId, signal },
  }
}

/** Calls that are parts of the run, which is one transaction already. */
export function callsWithin(
  run: CollectedRun,
  place: string,
  hashPassword?: CollectionContext['hashPassword'],
): ToolCalls {
  return {
    collectionsFor: (caller) =>
      collectionsOf(run.service.model, (resource) =>
        createCollection({ run, resource, caller, hashPassword }),
      ),
    sendMail: (...mail) => run.call(() => queueMail(run, place, mail)),
    transaction: (_caller, work) => run.join(() => work(callsWithin(run, place, hashPassword))),
  }
}

function readsWithin(run: CollectedRun): ReadCalls {
  return {
    collectionsFor: (caller) =>
      collectionsOf(run.service.model, (resource) => {
        const { list, get, count } = createCollection({ run, resource, caller })
        return { list, get, count }
      }),
  }
}

/** The declared collections by name. */
export function collectionsOf(
  { resources }: CollectedRun['service']['model'],
  createMethods: (resource: ResourceModel) => object,
): object {
  const own = [...resources.values()].filter(({ declared }) => declared)
  return Object.fromEntries(own.map((resource) => [resource.name, createMethods(resource)]))
}

/** Where code runs within a request, and until when. */
export interface RequestToolContext {
  readonly run: CollectedRun
  readonly signal: AbortSignal
  readonly place: string
  /** Has the fields that a refusal can point to: those of the item, or of the input of an action. */
  readonly resource?: ResourceModel
}

/** The tools of an action or a route. */
export async function createRequestTools(context: RequestToolContext): Promise<object> {
  const { run, place } = context
  return createTools({ ...(await factsOf(context)), calls: callsWithin(run, place) }, system)
}

/** The tools of a query: those of an action, without any that writes. */
export async function createReadTools(context: RequestToolContext): Promise<object> {
  return readTools({ ...(await factsOf(context)), calls: readsWithin(context.run) }, system)
}

async function factsOf({ run, signal, place, resource }: RequestToolContext) {
  const { caller: principal, requestId } = run.request
  return {
    place,
    caller: await describeCaller(run.service, principal),
    principal,
    now: run.now,
    // The content of the request is not that of a nested hook.
    refuse: refuseFrom(place, resource && { resource, isNested: run.path.length > 1 }),
    requestId,
    signal,
  }
}

/** The values that `set` gave, by field name; null removes a value. */
export type ItemChanges = Map<string, unknown>

export interface HookToolContext extends RequestToolContext {
  readonly resource: ResourceModel
  readonly previous: object | undefined
  /** Filled by `set`. */
  readonly changes: ItemChanges
}

/** The tools of a `before` hook. */
export async function createHookTools(context: HookToolContext): Promise<object> {
  const { resource, previous, changes, place } = context
  return {
    ...(await createRequestTools(context)),
    previous,
    set: (given: unknown) => {
      for (const [name, value] of Object.entries(Object(given))) {
        requireField(place, resource, name)
        changes.set(name, value)
      }
    },
  }
}

function requireField(place: string, { fieldByName, name: resource }: ResourceModel, name: string): void {
  const known = fieldByName.get(name)
  if (known && !known.kind.isHashed) return
  const hint = didYouMean(name, fieldByName.keys()) ?? ''
  throw new LogicFailure(place, `${place} sets '${name}', which ${resource} does not have. ${hint}`.trim())
}
