/** Built-in resources whose items have their URIs below the items of another resource. */

import type { BuiltInName } from './built-in-name.ts'
import type { FieldModel, ResourceModel } from './model.ts'

/** The references to the items above. */
const parentFields: Partial<Record<BuiltInName, string>> = {
  webhook_deliveries: 'webhook',
  account_credentials: 'account',
}

/** The tables of these resources. */
export const nestedNames = Object.keys(parentFields) as readonly BuiltInName[]

/** Whether the items of the resource have their URIs below other items. */
export function isNested({ builtIn }: Pick<ResourceModel, 'builtIn'>): boolean {
  return builtIn !== undefined && parentFields[builtIn] !== undefined
}

/** The reference to the item above; undefined for other resources. */
export function parentFieldOf({
  builtIn,
  fieldByName,
}: Pick<ResourceModel, 'builtIn' | 'fieldByName'>): FieldModel | undefined {
  return fieldByName.get((builtIn && parentFields[builtIn]) ?? '')
}
