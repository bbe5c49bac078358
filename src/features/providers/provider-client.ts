/** A client of a provider that people sign in with. features/providers/code-flow.ts implements it. */

/** The values that a callback must fit; they are kept in the browser, encrypted. */
export interface FlowSecrets {
  readonly state: string
  readonly nonce: string
  /** RFC 7636: the verifier of PKCE. */
  readonly verifier: string
}

export interface BegunSignIn extends FlowSecrets {
  /** Where the browser goes. */
  readonly uri: string
}

/** A person as the provider proves it. */
export interface ProvenIdentity {
  readonly issuer: string
  readonly subject: string
  /** Undefined where the provider has not verified the address. */
  readonly email: string | undefined
  readonly name: string | undefined
  /** When the provider asked the person for a proof, in milliseconds; undefined where it does not say. */
  readonly authenticatedAt: number | undefined
}

export interface ProviderClient {
  /** Refuses 503 where the provider cannot be reached. */
  begin(redirectUri: string): Promise<BegunSignIn>
  /** The person; refuses 401 what does not fit the flow or is not valid, and 503. `callback` is the URI with its query. */
  finish(callback: URL, secrets: FlowSecrets): Promise<ProvenIdentity>
}
