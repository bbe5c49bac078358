/** A resource as an older version of the interface shows it, for descriptions of that version. */

import type { InterfaceVersion } from '../definition/interface-version.ts'
import type { FieldModel, ResourceModel } from '../definition/model.ts'
import { oldName } from '../definition/version-names.ts'
import type { AudienceResource } from './permitted-resources.ts'

/** The part of the resource in the shape of the version. Its relations still lead to present resources. */
export function audienceResourceInVersion(
  version: InterfaceVersion,
  part: AudienceResource,
): AudienceResource {
  const { resource, sees, writes } = part
  const present = new Map<FieldModel, FieldModel>()
  const rename = (field: FieldModel): readonly FieldModel[] => {
    const name = oldName(version, resource, field.name)
    if (name === undefined) return []
    const old = { ...field, name }
    present.set(old, field)
    return [old]
  }
  const fields = resource.fields.flatMap(rename)
  const own = ownFields(version, resource)
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

/** The members that only the version has. No stored value has their place. */
function ownFields(version: InterfaceVersion, { name }: ResourceModel): readonly FieldModel[] {
  const fields = version.resources.get(name)?.own.fields ?? []
  return fields.map((field) => ({ ...field, index: -1, outputIndex: -1, filterable: false }))
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
