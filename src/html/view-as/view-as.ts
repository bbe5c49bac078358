/**
 * How an administrator asks for a page as another account or a role would see it. It is a parameter of one page: a
 * cookie would be state that a person forgets before sending the next form.
 */

import { declaredChoices } from '../../definition/field-choices.ts'
import type { Model } from '../../definition/model.ts'

/** Names an account by its id. No field has a hyphen in its name, so no filter has these names. */
export const asAccountParameter = 'as-account'
/** Names a role. */
export const asRoleParameter = 'as-role'

/** Whom an administrator sees a page as. */
export interface ViewedAs {
  /** A login, or a role in words. */
  readonly name: string
  /** Of an item: the URI that says what the account may do with it, and why. */
  readonly explanation?: string
}

/** The roles that accounts can have. */
export function declaredRoles({ accounts }: Model): readonly string[] {
  const choices = accounts?.roles && declaredChoices(accounts.roles)
  return (choices ?? []).map(String)
}
