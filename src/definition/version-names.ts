/** The names of members in an older version of the interface. */

import type { InterfaceVersion, ResourceModel } from './model.ts'
import { systemFields } from './system-fields.ts'

/** The present name of a member; undefined where the present shape has no member with its values. */
export function presentName(
  version: InterfaceVersion,
  resource: ResourceModel,
  name: string,
): string | undefined {
  const shape = version.resources.get(resource.name)
  if (!shape) return name
  const isOther = isField(resource, name) || shape.own.fieldByName.has(name)
  return shape.presentNames.get(name) ?? (isOther ? undefined : name)
}

/** The old name of a field; undefined where the version has no member with its values. */
export function oldName(
  version: InterfaceVersion,
  resource: ResourceModel,
  name: string,
): string | undefined {
  const shape = version.resources.get(resource.name)
  return shape && isField(resource, name) ? shape.oldNames.get(name) : name
}

function isField({ fieldByName, derived }: ResourceModel, name: string): boolean {
  return fieldByName.has(name) || systemFields.has(name) || derived.some(({ field }) => field.name === name)
}
