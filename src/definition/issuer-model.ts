/** The model of an issuer of JSON Web Tokens. */

/** A trusted issuer of JSON Web Tokens (RFC 7519). */
export interface IssuerModel {
  readonly issuer: string
  readonly audience: readonly string[]
  /** The URI of its keys. */
  readonly jwks: string
  readonly algorithms: readonly string[]
  /** The claim with the login of an account; undefined: callers are external principals. */
  readonly login: string | undefined
  /** The claim with roles; undefined: the roles of the account. */
  readonly roles: string | undefined
}
