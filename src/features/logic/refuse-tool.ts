/** The tool `refuse`: ends code with a problem of a 4xx type, at a field where one is given. */

import type { ResourceModel } from '../../definition/model.ts'
import { didYouMean } from '../../definition/name-suggestion.ts'
import { systemFields } from '../../definition/system-fields.ts'
import { type ProblemName, problemTypes, type Refusal, refuse } from '../../refusal.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'

/** Thrown by the tool `refuse`. */
export class HookRefusal extends Error {
  readonly refusal: Refusal
  /** As programs outside of the definition see it. */
  readonly type: ProblemName
  readonly status: number

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.name = 'HookRefusal'
    this.refusal = refusal
    this.type = refusal.type
    this.status = refusal.status
  }
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
