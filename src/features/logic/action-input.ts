/** The input of an action: the content of its request, as code gets it. */

import { type Principal, system } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { ActionModel, FieldModel, JsonValue, ResourceModel } from '../../definition/model.ts'
import { type ContentFault, invalidContent, maxFaults, Refusal } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { draftCreation } from '../../requests/write/draft-from-content.ts'
import { encodeValues } from '../../requests/write/encode-values.ts'
import { createYield } from '../../tools/time-slices.ts'

type Values = Readonly<Record<string, JsonValue>>

interface InputContext {
  readonly service: Pick<ServiceContext, 'store' | 'files'>
  readonly caller: Principal
  /** Yields to the event loop when a time slice is used up. */
  readonly pause: () => Promise<void> | undefined
  /** Counts the objects of all lists. */
  readonly counted: { objects: number }
}

/** Of all lists together: lists in lists multiply. */
const maxObjectsInAll = 5000

/**
 * The values of the content in the form that items show them, with defaults. Refuses 422 with all faults;
 * the caller must be able to read the items that references name.
 */
export async function parseActionInput(
  service: InputContext['service'],
  caller: Principal,
  { input }: ActionModel,
  body: unknown,
): Promise<Values> {
  const context = { service, caller, pause: createYield(), counted: { objects: 0 } }
  const { values, faults } = await parseMembers(context, input, body)
  if (faults.length > 0) throw invalidContent(faults.slice(0, maxFaults))
  return values
}

interface ParsedMembers {
  readonly values: Values
  readonly faults: readonly ContentFault[]
}

/** The values, and all faults; also of the objects of lists. */
async function parseMembers(
  context: InputContext,
  members: ResourceModel,
  body: unknown,
): Promise<ParsedMembers> {
  const rights = rightsOf(members, system)
  const draft = draftCreation({ resource: members, rights, isTrue: ({ kind }) => kind === 'always' }, body)
  const faults = [
    ...(await faultsOf(() =>
      encodeValues(context.service, context.caller, members.fields, draft, undefined),
    )),
  ]
  const values: [string, JsonValue][] = []
  for (const [field, value] of draft.values) {
    if (value === undefined) continue
    // A list of another form is a fault of the draft.
    const isValid = !faults.some(({ pointer }) => pointer.split('/')[1] === field.name)
    if (!field.members || !isValid) values.push([field.name, isValid ? normalise(field, value) : value])
    else {
      const parsed = await parseObjects(context, field, value as readonly JsonValue[])
      faults.push(...parsed.faults)
      values.push([field.name, parsed.objects])
    }
  }
  return { values: Object.freeze(Object.fromEntries(values)), faults }
}

async function parseObjects(
  context: InputContext,
  { name, members }: FieldModel,
  given: readonly JsonValue[],
) {
  const objects: Values[] = []
  const faults: ContentFault[] = []
  for (const [at, object] of given.entries()) {
    if (!members || faults.length >= maxFaults) break
    context.counted.objects += 1
    if (context.counted.objects > maxObjectsInAll) {
      const detail = `The content may have at most ${maxObjectsInAll} objects in all its lists.`
      faults.push({ pointer: `/${name}`, rule: 'maxItems', detail })
      break
    }
    await context.pause()
    const parsed = await parseMembers(context, members, object)
    objects.push(parsed.values)
    faults.push(...parsed.faults.map((fault) => ({ ...fault, pointer: `/${name}/${at}${fault.pointer}` })))
  }
  return { objects: Object.freeze(objects), faults }
}

/** The faults of the content that the work refuses. */
async function faultsOf(work: () => Promise<unknown>): Promise<readonly ContentFault[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (error instanceof Refusal && error.type === 'invalid-content') return error.options.errors ?? []
    throw error
  }
}

/** The value in the form that items show. References stay the ids that they are. */
export function normalise(field: FieldModel, value: JsonValue): JsonValue {
  if (field.ref || field.refs) return value
  const stored = field.encode(value)
  return stored === null ? value : field.decode(stored)
}
