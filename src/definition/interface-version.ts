/**
 * Older versions of the interface: what a definition declares. Their checked form belongs to the model. See
 * decision 0108.
 */

import type { Field } from './field.ts'
import type { InterfaceVersion } from './model.ts'
import type { FieldNameOf, Resource, RowOf } from './resource.ts'

export type { InterfaceVersion, ResourceVersion, VersionConversion } from './model.ts'

/** A version as users write it: the resources whose items had another shape, and when the version ends. */
export type VersionOptions<R extends Readonly<Record<string, Resource>>> = {
  readonly [N in keyof R]?: ResourceVersionOptions<RowOf<R[N]>, FieldNameOf<R[N]>>
} & VersionDates

/** Dates such as `2027-01-01`, or timestamps. */
export interface VersionDates {
  /** When the version is deprecated: sent as Deprecation (RFC 9745). */
  readonly deprecated?: string
  /** When the version ends: sent as Sunset (RFC 8594). */
  readonly sunset?: string
}

/** How the older shape of the items of a resource differs. Other fields are as they are now. */
export interface ResourceVersionOptions<Item, Name extends string> {
  /** The members that only the older shape has, and those that have another kind or other values there. */
  readonly fields?: Readonly<Record<string, Field>>
  /** The present fields that the older shape lacks. */
  readonly without?: readonly Name[]
  /** The present name of each renamed field, by its old name. */
  readonly renamed?: Readonly<Record<string, Name | 'createdAt' | 'updatedAt'>>
  /** Returns the values of `fields`; gets the members that the caller sees. Needs `up`. */
  down?(item: Item): object
  /** Returns the values of the fields in `without`; gets valid content in the old shape. Needs `down`. */
  up?(item: Readonly<Record<string, unknown>>): object
}

/** The media types, followed by those of the older versions. */
export function withVersionTypes(
  versions: ReadonlyMap<string, InterfaceVersion>,
  mediaTypes: readonly string[],
): readonly string[] {
  return [...mediaTypes, ...[...versions.values()].map(({ mediaType }) => mediaType)]
}
