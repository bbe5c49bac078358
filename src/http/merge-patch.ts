/** JSON Merge Patch (RFC 7396). */

import { isObject } from '../tools/plain-object.ts'

type MergeValue =
  | string
  | number
  | boolean
  | null
  | readonly MergeValue[]
  | { readonly [name: string]: MergeValue }

/** Applies a patch by §2. An absent target counts as an empty object. */
export function mergePatch(target: MergeValue | undefined, patch: MergeValue): MergeValue {
  if (!isObject(patch)) return patch
  const merged = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}
