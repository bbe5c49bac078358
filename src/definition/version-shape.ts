/**
 * The shape of items in an older version. The code of a definition does not say which members it
 * changes, so the conversion of random items shows it.
 */

import type { InterfaceVersion, ResourceVersion } from './interface-version.ts'
import { type FieldModel, type JsonValue, outputFields, type ResourceModel } from './model.ts'
import { createRandom, randomMembers } from './random-members.ts'
import { systemFields } from './system-fields.ts'
import { downMembers, type ItemMembers } from './version-conversion.ts'

export interface VersionShape {
  /** The old name of each present field that the version has with the same values, by its present name. */
  readonly oldNames: ReadonlyMap<string, string>
  /** Members that have no such field, by name. */
  readonly ownMembers: ReadonlyMap<string, OwnMember>
}

/** A member that only the older version has. */
export interface OwnMember {
  /** Types of JSON: `string`, `number`, `boolean`, `null`, `array`, `object`. */
  readonly types: ReadonlySet<string>
  readonly isAlwaysPresent: boolean
  readonly example: JsonValue
}

const samples = 60

/** The shape of items that show these fields. */
export function versionShape(
  version: InterfaceVersion,
  resource: ResourceModel,
  fields: readonly FieldModel[] = outputFields(resource),
): VersionShape {
  const names = fields.filter(({ writeOnly }) => !writeOnly).map(({ name }) => name)
  const shapes = shapesOf(version)
  const key = `${resource.name} ${names.join()}`
  const known = shapes.get(key)
  if (known) return known
  const shape = findShape(version, resource, fields)
  // Clients see different sets of fields, so the number of shapes must be bounded.
  if (shapes.size >= maxShapes) shapes.clear()
  shapes.set(key, shape)
  return shape
}

const maxShapes = 256
const shapesByVersion = new WeakMap<InterfaceVersion, Map<string, VersionShape>>()

function shapesOf(version: InterfaceVersion): Map<string, VersionShape> {
  const known = shapesByVersion.get(version)
  if (known) return known
  const shapes = new Map<string, VersionShape>()
  shapesByVersion.set(version, shapes)
  return shapes
}

function findShape(
  version: InterfaceVersion,
  resource: ResourceModel,
  fields: readonly FieldModel[],
): VersionShape {
  const declared = version.resources.get(resource.name)
  const names = [...fields.map(({ name }) => name), ...systemFields.keys()]
  const conversions = declared?.conversion ? convertSamples(version, resource, fields) : []
  const isSame = (name: string) => conversions.every(([present, old]) => isSameMember(present, old, name))
  const kept = names.filter((name) => declared?.oldNames.has(name) || isSame(name))
  const oldNames = new Map(kept.map((name) => [name, declared?.oldNames.get(name) ?? name]))
  return { oldNames, ownMembers: findOwnMembers(conversions, new Set(['id', ...oldNames.values()])) }
}

type SampleConversion = readonly [present: ItemMembers, old: ItemMembers]

/** Random items with their conversions. Items that the code cannot convert are left out. */
function convertSamples(
  version: InterfaceVersion,
  { name }: ResourceModel,
  fields: readonly FieldModel[],
): readonly SampleConversion[] {
  const random = createRandom(1)
  return Array.from({ length: samples }, () => randomMembers(fields, random)).flatMap((present) => {
    try {
      return [[present, downMembers(version, name, present)] as const]
    } catch {
      // `restwell check` reports it; requests with such an item are refused.
      return []
    }
  })
}

function isSameMember(present: ItemMembers, old: ItemMembers, name: string): boolean {
  return JSON.stringify(present[name]) === JSON.stringify(old[name])
}

function findOwnMembers(
  conversions: readonly SampleConversion[],
  known: ReadonlySet<string>,
): ReadonlyMap<string, OwnMember> {
  const names = new Set(conversions.flatMap(([, old]) => Object.keys(old))).difference(known)
  return new Map(
    [...names].map((name) => {
      const values = conversions
        .filter(([, old]) => Object.hasOwn(old, name))
        .map(([, old]) => old[name] ?? null)
      const types = new Set(values.map(typeOf))
      const isAlwaysPresent = values.length === conversions.length
      return [name, { types, isAlwaysPresent, example: values[0] ?? null }]
    }),
  )
}

/** The type of a JSON value. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The present name of a member; undefined for a field that the version does not have under this name. */
export function presentName(
  version: InterfaceVersion,
  resource: ResourceModel,
  name: string,
): string | undefined {
  const declared = version.resources.get(resource.name)
  if (!declared) return name
  const renamed = declared.renamed.get(name)
  if (renamed !== undefined) return renamed
  return isField(resource, name) && oldName(version, resource, name) !== name ? undefined : name
}

/** The old name of a field; undefined where the version has no member with its value. */
export function oldName(
  version: InterfaceVersion,
  resource: ResourceModel,
  name: string,
): string | undefined {
  const declared: ResourceVersion | undefined = version.resources.get(resource.name)
  if (!declared || !isField(resource, name)) return name
  return versionShape(version, resource).oldNames.get(name)
}

function isField(resource: ResourceModel, name: string): boolean {
  return (
    resource.fieldByName.has(name) ||
    resource.derived.some(({ field }) => field.name === name) ||
    systemFields.has(name)
  )
}
