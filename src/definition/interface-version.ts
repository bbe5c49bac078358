/** Older versions of the interface: what a definition declares, and its checked form. */

import type { Resource, RowOf } from './resource.ts'

/** A version as users write it: the resources whose items had another shape, and when the version ends. */
export type VersionOptions<R extends Readonly<Record<string, Resource>>> = {
  readonly [N in keyof R]?: ResourceVersionOptions<RowOf<R[N]>>
} & VersionDates

/** Dates such as `2027-01-01`, or timestamps. */
export interface VersionDates {
  /** When the version is deprecated: sent as Deprecation (RFC 9745). */
  readonly deprecated?: string
  /** When the version ends: sent as Sunset (RFC 8594). */
  readonly sunset?: string
}

/** The older shape of the items of a resource. */
export interface ResourceVersionOptions<Item> {
  /** The present name of each renamed field, by its old name. */
  readonly renamed?: Readonly<Record<string, string>>
  /** Returns the whole item in the old shape; gets the members that the caller sees. Needs `up`. */
  down?(item: Item): object
  /** Returns the item in the present shape; gets content in the old shape. Needs `down`. */
  up?(item: Readonly<Record<string, unknown>>): object
}

/** A checked version. */
export interface InterfaceVersion {
  readonly name: string
  /** Such as `application/vnd.tracker.v1+json`. */
  readonly mediaType: string
  /** By collection. Other resources have their present shape. */
  readonly resources: ReadonlyMap<string, ResourceVersion>
  /** Milliseconds since 1970. */
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
}

/** The media types, followed by those of the older versions. */
export function withVersionTypes(
  versions: ReadonlyMap<string, InterfaceVersion>,
  mediaTypes: readonly string[],
): readonly string[] {
  return [...mediaTypes, ...[...versions.values()].map(({ mediaType }) => mediaType)]
}

export interface ResourceVersion {
  /** Its place in the definition, such as `versions.v1.tasks`. */
  readonly place: string
  /** The present name of each renamed field, by its old name. */
  readonly renamed: ReadonlyMap<string, string>
  /** The reverse: the old name, by the present name. */
  readonly oldNames: ReadonlyMap<string, string>
  /** Undefined: the shapes differ only in names. */
  readonly conversion: VersionConversion | undefined
}

/** The code of the definition. */
export interface VersionConversion {
  readonly down: (item: object) => unknown
  readonly up: (item: object) => unknown
}
