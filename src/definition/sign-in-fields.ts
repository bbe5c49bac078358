/** The fields of the forms that people sign in with, and ask for mails with. */

import { confirmationCode, currentPassword } from './current-password.ts'
import { nameInWords } from './english-labels.ts'
import type { AccountsModel, FieldModel } from './model.ts'

/** Longer texts are no logins, and would only take time to be compared. */
const textSchema = { type: 'string', minLength: 1, maxLength: 1000 }

/** The login of an account, known or not: texts of every form get the same response. */
export function loginField({ login }: AccountsModel): FieldModel {
  const label = login.label ?? nameInWords(login.name)
  const shown = { writeOnly: false, schema: textSchema }
  return { ...currentPassword, name: 'login', kind: login.kind, label, required: true, ...shown }
}

/** The password of an account. */
export const passwordField: FieldModel = Object.freeze({
  ...currentPassword,
  name: 'password',
  schema: { ...currentPassword.schema, description: 'The password of the account.' },
})

/** A code of an authenticator, or a recovery code. */
export const codeField: FieldModel = Object.freeze({ ...confirmationCode, schema: textSchema })
