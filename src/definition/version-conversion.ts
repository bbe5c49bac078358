/** Converts the members of an item between the present shape and that of an older version. */

import type { InterfaceVersion, ResourceVersion } from './interface-version.ts'
import type { JsonValue } from './model.ts'

export type ItemMembers = Readonly<Record<string, JsonValue>>

/** The members in the old shape as JSON text, always with `id`; throws ConversionFailure. */
export function downText(version: InterfaceVersion, resource: string, members: ItemMembers): string {
  const shape = version.resources.get(resource)
  if (!shape) return JSON.stringify(members)
  if (!shape.conversion) return JSON.stringify(renameMembers(members, shape.oldNames))
  const { id } = members
  const text = runConversion(shape, 'down', members)
  if (id === undefined || Object.hasOwn(JSON.parse(text), 'id')) return text
  const start = `{"id":${JSON.stringify(id)}`
  return text === '{}' ? `${start}}` : `${start},${text.slice(1)}`
}

/** The members in the old shape; throws ConversionFailure. */
export function downMembers(version: InterfaceVersion, resource: string, members: ItemMembers): ItemMembers {
  return JSON.parse(downText(version, resource, members))
}

/** The members in the present shape; throws ConversionFailure. */
export function upMembers(version: InterfaceVersion, resource: string, members: ItemMembers): ItemMembers {
  const shape = version.resources.get(resource)
  if (!shape) return members
  if (!shape.conversion) return renameMembers(members, shape.renamed)
  return JSON.parse(runConversion(shape, 'up', members))
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

function renameMembers(members: ItemMembers, names: ReadonlyMap<string, string>): ItemMembers {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [names.get(name) ?? name, value]))
}

/** The result as JSON text. The code gets a copy, which it may change. */
function runConversion(shape: ResourceVersion, direction: 'down' | 'up', members: ItemMembers): string {
  const hook = `${shape.place}.${direction}`
  let result: unknown
  let text: string | undefined
  try {
    result = shape.conversion?.[direction](structuredClone(members))
    text = isItem(result) ? JSON.stringify(result) : undefined
  } catch (cause) {
    throw new ConversionFailure(hook, `${hook} failed.`, { cause })
  }
  if (text?.startsWith('{')) return text
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
