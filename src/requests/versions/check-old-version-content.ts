/** Which members content in an older version may have, and refusals with the names of the version. */

import type { InterfaceVersion } from '../../definition/interface-version.ts'
import { isRestricted, type ResourceModel } from '../../definition/model.ts'
import { withSuggestion } from '../../definition/name-suggestion.ts'
import type { ItemMembers } from '../../definition/version-conversion.ts'
import { oldName } from '../../definition/version-names.ts'
import { formatPointer, isEqual } from '../../http/json-patch.ts'
import { type ContentFault, invalidContent, Refusal, refuse } from '../../refusal.ts'
import type { RequestContext } from '../context/request-context.ts'

/** The older shape of a resource. */
export interface OldShape {
  readonly version: InterfaceVersion
  readonly resource: ResourceModel
}

/**
 * Refuses 422 for members that the version does not have, and for invalid or missing ones that only it has. A value that
 * the caller saw before is not checked again. Other members are left to the checks of the present version.
 */
export function requireValidMembers(
  { version, resource }: OldShape,
  sent: ItemMembers,
  seen: ItemMembers | undefined,
): void {
  const shape = version.resources.get(resource.name)
  if (!shape) return
  const { own, oldNames, presentNames } = shape
  const shown = resource.fields.filter((field) => !isRestricted(field))
  const known = [...own.fields, ...shown.map(({ name }) => ({ name: oldNames.get(name) ?? '' }))]
  const unknown = Object.keys(sent).filter((name) => !presentNames.has(name) && !own.fieldByName.has(name))
  const missing = own.fields.filter(
    ({ name, required }) => required && !Object.hasOwn(sent, name) && (!seen || Object.hasOwn(seen, name)),
  )
  const changed = Object.entries(sent).filter(([name, value]) => {
    return seen?.[name] === undefined || !isEqual(seen[name], value)
  })
  const faults = [
    ...unknown.map((name) =>
      fault(name, 'additionalProperties', withSuggestion('There is no such field.', name, known)),
    ),
    ...missing.map(({ name }) => fault(name, 'required', 'This field is required.')),
    ...own.validate(Object.fromEntries(changed)),
  ]
  if (faults.length > 0) throw invalidContent(faults)
}

/** Performs a part of a request in an older version; a refusal gets its names. */
export async function withOldNames<Result>(
  context: RequestContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw inOldNames(context, error)
  }
}

/** The error; a refusal of a request in an older version has its names. */
export function inOldNames<Thrown>({ version, target }: RequestContext, error: Thrown): Thrown | Refusal {
  const isConverted = version && (target.kind === 'collection' || target.kind === 'item')
  return isConverted ? refusalInVersion({ version, resource: target.resource }, error) : error
}

/** The error; a refusal with the names of the version in its pointers and its detail. */
export function refusalInVersion<Thrown>(shape: OldShape, error: Thrown): Thrown | Refusal {
  if (!(error instanceof Refusal) || !shape.version.resources.has(shape.resource.name)) return error
  const { errors, namedField } = error.options
  return refuse(error.type, {
    ...error.options,
    ...(namedField === undefined ? {} : { detail: oldDetail(shape, error.message, namedField) }),
    ...(errors && {
      errors: errors.map((one) => ({ ...one, pointer: oldPointer(shape, one.pointer) })),
    }),
  })
}

/** The detail names the field in quotes first; quoted values follow. */
function oldDetail({ version, resource }: OldShape, detail: string, name: string): string {
  return detail.replace(`'${name}'`, () => `'${oldName(version, resource, name) ?? name}'`)
}

/** Pointers into one of many items begin with its index. */
function oldPointer({ version, resource }: OldShape, pointer: string): string {
  return pointer.replace(/^((?:\/\d+)?\/)([^/]+)/, (_, start: string, name: string) => {
    return start + (oldName(version, resource, name) ?? name)
  })
}

function fault(name: string, rule: string, detail: string): ContentFault {
  return { pointer: formatPointer([name]), rule, detail }
}
