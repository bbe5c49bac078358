/** Who asks: nobody known, or an account that proved itself in this very request. */

export type Principal = Anonymous | Account

export interface Anonymous {
  readonly kind: 'anonymous'
}

export interface Account {
  readonly kind: 'account'
  /** The identity of its row, which references hold. */
  readonly identity: string
  readonly roles: ReadonlySet<string>
}

export const anonymous: Anonymous = Object.freeze({ kind: 'anonymous' })
