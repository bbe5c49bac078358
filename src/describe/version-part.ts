/** A resource as an older version of the interface shows it, for descriptions of that version. */

import type { InterfaceVersion } from '../definition/interface-version.ts'
import { type FieldModel, type JsonValue, outputFields, type ResourceModel } from '../definition/model.ts'
import { createRandom, randomMembers } from '../definition/random-members.ts'
import { createdAt } from '../definition/system-fields.ts'
import { downMembers, type ItemMembers, upMembers } from '../definition/version-conversion.ts'
import { type OwnMember, oldName, versionShape } from '../definition/version-shape.ts'
import type { AudienceResource } from './permitted-resources.ts'

/** The part of the resource in the shape of the version. Its relations still lead to present resources. */
export function partInVersion(version: InterfaceVersion, part: AudienceResource): AudienceResource {
  const { resource, sees, writes } = part
  const shape = versionShape(
    version,
    resource,
    outputFields(resource).filter((field) => sees(field) !== 'never'),
  )
  const present = new Map<FieldModel, FieldModel>()
  const rename = (field: FieldModel): readonly FieldModel[] => {
    const name = oldName(version, resource, field.name)
    if (name === undefined) return []
    const old = { ...field, name }
    present.set(old, field)
    return [old]
  }
  const fields = resource.fields.flatMap(rename)
  const own = [...shape.ownMembers].map(([name, member]) => ownField({ version, resource }, name, member))
  const derived = resource.derived.flatMap((one) => rename(one.field).map((field) => ({ ...one, field })))
  const attributes = [...part.attributes.values()].flatMap((attribute) => {
    const name = oldName(version, resource, attribute.name)
    return name === undefined ? [] : [[name, { ...attribute, name }] as const]
  })
  const isOwn = new Set(own)
  return {
    ...part,
    present: resource,
    resource: resourceWith(version, resource, [...fields, ...own], derived),
    attributes: new Map(attributes),
    sees: (field) => (isOwn.has(field) ? 'always' : sees(present.get(field) ?? field)),
    writes: (field) => (isOwn.has(field) ? 'always' : writes(present.get(field) ?? field)),
  }
}

function resourceWith(
  version: InterfaceVersion,
  resource: ResourceModel,
  fields: readonly FieldModel[],
  derived: ResourceModel['derived'],
): ResourceModel {
  const relations = [...resource.relations.values()].flatMap((relation) => {
    const name = oldName(version, resource, relation.name)
    return name === undefined ? [] : [[name, { ...relation, name }] as const]
  })
  const byIndex = (field: FieldModel) => fields.find(({ index }) => index === field.index)
  const sets = resource.uniqueSets.map((set) => set.map(byIndex))
  return {
    ...resource,
    fields,
    fieldByName: new Map(fields.map((field) => [field.name, field])),
    derived,
    relations: new Map(relations),
    uniqueSets: sets.filter((set): set is FieldModel[] => set.every((field) => field !== undefined)),
  }
}

/** A member that only the version has. Its default is what an item has that was created without it. */
function ownField(
  { version, resource }: { readonly version: InterfaceVersion; readonly resource: ResourceModel },
  name: string,
  { types, isAlwaysPresent }: OwnMember,
): FieldModel {
  const found = [...types]
  const preset = findDefault(version, resource, name)
  return {
    ...createdAt,
    name,
    // No stored value has this place.
    index: -1,
    outputIndex: -1,
    kind: 'json',
    required: isAlwaysPresent,
    readOnly: false,
    filterable: false,
    default: preset,
    schema: found.length === 0 ? {} : { type: found.length === 1 ? found[0] : found },
    encode: () => null,
    decode: () => null,
  }
}

function findDefault(
  version: InterfaceVersion,
  resource: ResourceModel,
  name: string,
): JsonValue | undefined {
  const item = randomMembers(outputFields(resource), createRandom(3))
  try {
    const { [name]: _, ...old } = downMembers(version, resource.name, item)
    const created: ItemMembers = { ...upMembers(version, resource.name, old), id: item.id ?? null }
    return downMembers(version, resource.name, created)[name]
  } catch {
    // The code needs the member, so it has no default.
    return undefined
  }
}
