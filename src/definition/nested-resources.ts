/** Built-in resources whose items have their URIs below the items of another resource. */

import type { FieldModel, ResourceModel } from './model.ts'

/** Whether the items of the resource have their URIs below other items. */
export function isNested({ traits }: Pick<ResourceModel, 'traits'>): boolean {
  return traits.below !== undefined
}

/** The reference to the item above; undefined for other resources. */
export function parentFieldOf({
  traits,
  fieldByName,
}: Pick<ResourceModel, 'traits' | 'fieldByName'>): FieldModel | undefined {
  return traits.below === undefined ? undefined : fieldByName.get(traits.below)
}
