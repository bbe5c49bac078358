/** Which members content in an older version may have, and whose fault it is that code cannot convert it. */

import type { InterfaceVersion } from '../../definition/interface-version.ts'
import type { JsonValue, ResourceModel } from '../../definition/model.ts'
import { withSuggestion } from '../../definition/name-suggestion.ts'
import { formatType } from '../../definition/validation-message.ts'
import { type ItemMembers, upMembers } from '../../definition/version-conversion.ts'
import { oldName, typeOf, versionShape } from '../../definition/version-shape.ts'
import { isEqual } from '../../http/json-patch.ts'
import { type ContentFault, invalidContent, Refusal, refuse } from '../../refusal.ts'
import type { RequestContext } from '../context/request-context.ts'

interface OldShape {
  readonly version: InterfaceVersion
  readonly resource: ResourceModel
}

/** Content before and after its conversion. */
interface Converted {
  readonly old: ItemMembers
  readonly present: ItemMembers
  convert(old: ItemMembers): ItemMembers
}

/**
 * Refuses 422 for members that the version does not have: present fields under names that it lacks,
 * and members without any effect. Others are left to the checks of the present version.
 */
export function requireKnownMembers(
  { version, resource }: OldShape,
  { old, present, convert }: Converted,
): void {
  const { oldNames, ownMembers } = versionShape(version, resource)
  const known = new Set([...oldNames.values(), ...ownMembers.keys(), 'id'])
  const unknown = Object.keys(old).filter((name) => {
    if (known.has(name)) return false
    if (resource.fieldByName.has(name)) return true
    return !Object.hasOwn(present, name) && !hasEffect(name, { old, present, convert })
  })
  if (unknown.length === 0) return
  const names = [...known].map((name) => ({ name }))
  throw invalidContent(
    unknown.map((name) =>
      fault(name, 'additionalProperties', withSuggestion('There is no such field.', name, names)),
    ),
  )
}

/** Whether the code uses the member: another value gives another item, or fails. */
function hasEffect(name: string, { old, present, convert }: Converted): boolean {
  const { [name]: _, ...without } = old
  const others: readonly ItemMembers[] = [without, ...trials.map((trial) => ({ ...old, [name]: trial }))]
  return others.some((members) => {
    try {
      return !isEqual(convert(members), present)
    } catch {
      // It cannot convert the trial, so it reads the member.
      return true
    }
  })
}

const trials: readonly JsonValue[] = ['x', 7, true, null, []]

/**
 * The refusal of content that code cannot convert: 422 where it lacks members that items have, or has
 * them with other types; else the failure itself.
 */
export function diagnoseFailure(
  { version, resource }: OldShape,
  old: ItemMembers,
  failure: unknown,
): unknown {
  const { ownMembers } = versionShape(version, resource)
  const wrong = [...ownMembers].filter(([name, { types, isAlwaysPresent }]) => {
    return Object.hasOwn(old, name) ? !types.has(typeOf(old[name])) : isAlwaysPresent
  })
  // With examples for all others it still fails.
  const causes = wrong.filter(([name]) => {
    const others = wrong.filter(([other]) => other !== name).map(([other, { example }]) => [other, example])
    return !canConvert({ version, resource }, { ...old, ...Object.fromEntries(others) })
  })
  const repaired = Object.fromEntries(wrong.map(([name, { example }]) => [name, example]))
  if (causes.length === 0 || !canConvert({ version, resource }, { ...old, ...repaired })) return failure
  return invalidContent(
    causes.map(([name, { types }]) =>
      Object.hasOwn(old, name)
        ? fault(name, 'type', `Must be ${[...types].map(formatType).join(' or ')}.`)
        : fault(name, 'required', 'This field is required.'),
    ),
  )
}

function canConvert({ version, resource }: OldShape, old: ItemMembers): boolean {
  try {
    upMembers(version, resource.name, old)
    return true
  } catch {
    // The caller reports the first failure.
    return false
  }
}

/** Performs a part of a request in an older version; a refusal gets its names. */
export async function withOldNames<Result>(
  { version, target }: RequestContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isConverted = version && (target.kind === 'collection' || target.kind === 'item')
    throw isConverted ? refusalInVersion({ version, resource: target.resource }, error) : error
  }
}

/** The error; a refusal with the names of the version in its pointers and its detail. */
export function refusalInVersion(shape: OldShape, error: unknown): unknown {
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
  return { pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, rule, detail }
}
