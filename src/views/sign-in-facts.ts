/** The form to sign in, which pages of other documents show too. */

import { createInputModel } from '../definition/input-model.ts'
import type { Model } from '../definition/model.ts'
import { loginField, passwordField } from '../definition/sign-in-fields.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { FormFacts } from './form-action.ts'

export const signInFacts: FormFacts = {
  title: 'Sign in',
  autocomplete: { login: 'username', password: 'current-password' },
  input: memoizeByObject(({ accounts }: Model) => {
    const password = { ...passwordField, required: true }
    return createInputModel('sign-in', accounts ? [loginField(accounts), password] : [password])
  }),
}
