/** The tools of hooks and actions: the collections by name, and what belongs to the request. */

import { type Principal, system } from '../../access/principal.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { didYouMean } from '../../definition/name-suggestion.ts'
import { systemFields } from '../../definition/system-fields.ts'
import { type ProblemName, problemTypes, type Refusal, refuse } from '../../refusal.ts'
import { describeCaller } from '../../requests/context/described-caller.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import type { CollectedRun } from './collected-run.ts'
import { createCollection, type LogicMethods } from './logic-collection.ts'
import { mailToolOf } from './mail-tool.ts'

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
  /** Has the fields that a refusal can point to: those of the item, or of the input of an action. */
  readonly resource?: ResourceModel
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

export async function createActionTools(context: ToolContext): Promise<object> {
  const { run, place } = context
  const tools = await createTools(context, collectionsOf)
  // Only jobs show progress.
  return { ...tools, mail: mailToolOf(run, place), report: () => undefined }
}

/** The tools of a query: those of an action, without any that writes. */
export function createReadTools(context: ToolContext): Promise<object> {
  return createTools(context, readCollectionsOf)
}

async function createTools(
  { run, signal, place, resource }: ToolContext,
  collectionsOf: (run: CollectedRun, caller: Principal) => object,
): Promise<object> {
  const caller = await describeCaller(run.service, run.request.caller)
  return {
    ...collectionsOf(run, system),
    as: (given: unknown) => {
      if (given !== caller) throw new LogicFailure(place, `'as' takes the tool 'caller', in ${place}.`)
      return collectionsOf(run, run.request.caller)
    },
    caller,
    now: run.now,
    // The content of the request is not that of a nested hook.
    refuse: refuseFrom(place, resource && { resource, isNested: run.path.length > 1 }),
    requestId: run.request.requestId,
    signal,
  }
}

function collectionsOf(run: CollectedRun, caller: Principal): Readonly<Record<string, LogicMethods>> {
  const own = [...run.service.model.resources.values()].filter(({ declared }) => declared)
  return Object.fromEntries(
    own.map((resource) => [resource.name, createCollection({ run, resource, caller })]),
  )
}

function readCollectionsOf(run: CollectedRun, caller: Principal): object {
  const methods = Object.entries(collectionsOf(run, caller))
  return Object.fromEntries(methods.map(([name, { list, get, count }]) => [name, { list, get, count }]))
}

interface RefusedContent {
  readonly resource: ResourceModel
  readonly isNested: boolean
}

/** The tool `refuse` of the code at this place. Without content it can point to no field. */
export function refuseFrom(place: string, content?: RefusedContent) {
  return (type: unknown, detail: unknown, at?: unknown): never => {
    const refusal = createRefusal(place, type, detail)
    throw new HookRefusal(at === undefined ? refusal : atField(place, refusal, { at, content }))
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

interface RefusedField {
  readonly at: unknown
  readonly content: RefusedContent | undefined
}

/** The refusal with a fault that points to the field. */
function atField(place: string, { type, message, options }: Refusal, { at, content }: RefusedField): Refusal {
  const { field } = Object(at)
  const path = typeof field === 'string' ? field.split('/') : []
  if (!content || !isPlace(content.resource, path)) {
    const names = content?.resource.fieldByName.keys() ?? []
    const hint = didYouMean(path[0] ?? '', names) ?? ''
    throw new LogicFailure(
      place,
      `${place} refuses at a field that it does not have: '${String(field)}'. ${hint}`.trim(),
    )
  }
  const pointer = content?.isNested ? '' : `/${field}`
  return refuse(type, { ...options, errors: [{ pointer, rule: 'check', detail: message }] })
}

/** Whether the path leads to a member: `title`, or `lines/2/quantity` in a list of objects. */
function isPlace({ fieldByName }: ResourceModel, [name = '', index, ...below]: readonly string[]): boolean {
  const field = fieldByName.get(name)
  if (index === undefined) return field !== undefined || systemFields.has(name) || name === 'id'
  if (!field?.members || !/^(?:0|[1-9][0-9]*)$/.test(index)) return false
  return below.length === 0 || isPlace(field.members, below)
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
