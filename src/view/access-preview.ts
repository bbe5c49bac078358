/** The parameters by which an administrator sees a page as another account would. */

/** Names the login of an account. */
export const viewAsParameter = 'view-as'
/** Names a role. */
export const viewAsRoleParameter = 'view-as-role'

/** Whom an administrator sees a page as. */
export interface ViewedAs {
  /** A login, or a role in words. */
  readonly name: string
  /** Of an item: the URI that says what the account may do with it, and why. */
  readonly explanation?: string
}
