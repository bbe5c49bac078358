/**
 * Converts the members of an item between the present shape and that of an older version. Members that both have keep
 * their values; code of the definition gives the others.
 */

import type { InterfaceVersion, JsonValue, ResourceModel, ResourceVersion } from './model.ts'

export type ItemMembers = Readonly<Record<string, JsonValue>>

/** The members in the old shape as JSON text, in the order of the code; throws ConversionFailure. */
export function downText(version: InterfaceVersion, resource: ResourceModel, members: ItemMembers): string {
  return JSON.stringify(downMembers(version, resource, members))
}

/** The members in the old shape; throws ConversionFailure. */
export function downMembers(
  version: InterfaceVersion,
  resource: ResourceModel,
  members: ItemMembers,
): ItemMembers {
  const shape = version.resources.get(resource.name)
  if (!shape) return members
  const kept = renameMembers(members, shape.oldNames)
  if (!shape.conversion) return kept
  const given = runConversion(shape, 'down', members)
  const { fieldByName } = shape.own
  const names = ['id', ...Object.keys(given), ...Object.keys(kept)]
  return Object.fromEntries(
    names.flatMap((name) => {
      const from = Object.hasOwn(kept, name) ? kept : fieldByName.has(name) ? given : {}
      return Object.hasOwn(from, name) ? [[name, from[name] as JsonValue]] : []
    }),
  )
}

/** The members in the present shape; throws ConversionFailure. */
export function upMembers(version: InterfaceVersion, resource: ResourceModel, old: ItemMembers): ItemMembers {
  const shape = version.resources.get(resource.name)
  if (!shape) return old
  const kept = renameMembers(old, shape.presentNames)
  if (!shape.conversion) return kept
  const given = Object.entries(runConversion(shape, 'up', old))
  // A member of the version may decide the value of a field that both have.
  return { ...kept, ...Object.fromEntries(given.filter(([name]) => resource.fieldByName.has(name))) }
}

/** The members that have a name in the map, under that name. */
function renameMembers(members: ItemMembers, names: ReadonlyMap<string, string>): ItemMembers {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const other = names.get(name)
      return other === undefined ? [] : [[other, value]]
    }),
  )
}

/** The code of the definition failed: it threw, or it returned a value that is not an item. */
export class ConversionFailure extends Error {
  /** The place of the code in the definition, such as `versions.v1.tasks.down`. */
  readonly hook: string

  constructor(hook: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConversionFailure'
    this.hook = hook
  }
}

/** Runs the code on a copy, which it may change, and returns its result as JSON members; throws ConversionFailure. */
export function runConversion(
  shape: ResourceVersion,
  direction: 'down' | 'up',
  members: ItemMembers,
): ItemMembers {
  const hook = `${shape.place}.${direction}`
  let result: unknown
  let text: string | undefined
  try {
    result = shape.conversion?.[direction](structuredClone(members))
    text = isItem(result) ? JSON.stringify(result) : undefined
  } catch (cause) {
    throw new ConversionFailure(hook, `${hook} failed.`, { cause })
  }
  if (text?.startsWith('{')) return JSON.parse(text)
  throw new ConversionFailure(hook, `${hook} must return an object, not ${describeResult(result)}.`)
}

function isItem(result: unknown): result is object {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false
  return !(result instanceof Promise)
}

function describeResult(result: unknown): string {
  if (result === null) return 'null'
  if (result instanceof Promise) return 'a promise'
  return Array.isArray(result) ? 'an array' : typeof result
}
