/** `currentPassword`: the member that changing the own password, login or credentials requires. */

import type { ProofName } from './built-in-table.ts'
import { jsonKind } from './kinds/json.ts'
import { passwordKind } from './kinds/password.ts'
import { textKind } from './kinds/text.ts'
import type { FieldModel, ResourceModel } from './model.ts'
import { createdAt } from './system-fields.ts'

/** Reserved on accounts; never stored or shown. Credentials have it too. */
export const currentPassword: FieldModel = Object.freeze({
  ...createdAt,
  name: 'currentPassword',
  kind: passwordKind,
  required: false,
  readOnly: false,
  writeOnly: true,
  filterable: false,
  schema: {
    ...passwordKind.schema({ min: 1 }, { isKey: false, isIndexed: false }),
    description: 'Your current password, required to change your own password, login or credentials.',
  },
  index: -1,
  outputIndex: -1,
  encode: () => null,
  decode: () => null,
})

/** The code that confirms an authenticator; never stored or shown. */
export const confirmationCode: FieldModel = Object.freeze({
  ...currentPassword,
  name: 'code',
  kind: textKind,
  required: true,
  schema: {
    type: 'string',
    minLength: 6,
    maxLength: 20,
    description: 'The code that the authenticator shows.',
  },
})

/** The response of an authenticator that confirms a passkey; never stored or shown. */
const passkeyResponse: FieldModel = Object.freeze({
  ...confirmationCode,
  name: 'response',
  kind: jsonKind,
  schema: { type: 'object', description: 'The result of navigator.credentials.create(), as JSON.' },
})

/** The members that prove a second factor. */
export const proofs: Readonly<Record<ProofName, FieldModel>> = {
  code: confirmationCode,
  response: passkeyResponse,
}

/** Returns a field of the resource, or `currentPassword` of accounts; undefined for other names. */
export function findContentField(resource: ResourceModel, name: string): FieldModel | undefined {
  const { currentPassword: reserved } = resource
  return resource.fieldByName.get(name) ?? (reserved?.name === name ? reserved : undefined)
}
