/** `currentPassword`: what a caller sends, besides the fields of its own account, to change its password or login. */

import { passwordKind } from './kinds/password.ts'
import type { FieldModel, ResourceModel } from './model.ts'

/** Reserved on accounts; stored and shown nowhere. */
export const currentPassword: FieldModel = Object.freeze({
  name: 'currentPassword',
  kind: 'password',
  required: false,
  unique: false,
  default: undefined,
  readOnly: false,
  writeOnly: true,
  visibleTo: undefined,
  writableBy: undefined,
  fromPrincipal: false,
  filterable: false,
  formerly: [],
  schema: {
    ...passwordKind.schema({ min: 1 }, { key: false, indexed: false }),
    description: 'Your current password. It is needed to change your own password or login.',
  },
  index: -1,
  shownIndex: -1,
  scale: undefined,
  ref: undefined,
  state: undefined,
  item: undefined,
  encode: () => null,
  decode: () => null,
} satisfies FieldModel)

/** The field that content of a request may name: the resource's own, or `currentPassword` of accounts. */
export function findContentField(resource: ResourceModel, name: string): FieldModel | undefined {
  const { currentPassword: reserved } = resource
  return resource.field.get(name) ?? (reserved?.name === name ? reserved : undefined)
}
