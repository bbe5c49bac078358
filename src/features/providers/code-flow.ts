/**
 * The code flow of OAuth 2.0 with PKCE and state (RFC 6749 §4.1, RFC 9700), by openid-client. A protocol says where the
 * endpoints of the provider are and how it proves who the person is. The library is loaded when the first person signs in.
 */

import type { Configuration, CustomFetchOptions } from 'openid-client'
import type { Observer } from '../../observation.ts'
import { refuse, unavailable } from '../../refusal.ts'

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

type Library = typeof import('openid-client')

/** A provider whose endpoints are known. */
export interface KnownProvider {
  readonly library: Library
  readonly configuration: Configuration
}

export interface RegisteredClient {
  readonly id: string
  readonly secret: string
}

/** The differences between providers. */
export interface Protocol {
  /** In logs, and in the binding of accounts with the subject. */
  readonly issuer: string
  /** Parameters of the authorization request beside those of the code flow. */
  readonly parameters: Readonly<Record<string, string>>
  /** Whether the provider proves the person by an ID token, to which the nonce belongs. */
  readonly hasIdToken: boolean
  configure(library: Library, client: RegisteredClient): Promise<Configuration>
  identify(known: KnownProvider, tokens: Tokens): Promise<ProvenIdentity>
}

export type Tokens = Awaited<ReturnType<Library['authorizationCodeGrant']>>

export interface CodeFlowOptions {
  readonly protocol: Protocol
  readonly client: RegisteredClient
  readonly observe: Observer
  readonly now: () => number
}

/** In seconds. */
export const timeout = 5
const maxOctets = 256 * 1024
/** Milliseconds after which the endpoints are read again. */
const freshFor = 3_600_000

export function createProviderClient(options: CodeFlowOptions): ProviderClient {
  const { protocol, observe, now } = options
  const { issuer } = protocol
  let configured: { readonly at: number; readonly provider: Promise<KnownProvider> } | undefined

  async function current(): Promise<KnownProvider> {
    if (!configured || now() - configured.at > freshFor) {
      configured = { at: now(), provider: configure(options) }
    }
    try {
      return await configured.provider
    } catch (cause) {
      configured = undefined
      observe({ kind: 'issuer-unavailable', issuer, cause })
      throw unavailable('The provider cannot be reached. Try again later.')
    }
  }

  return {
    begin: async (redirectUri) => begin(await current(), protocol, redirectUri),
    async finish(callback, secrets) {
      const known = await current()
      try {
        return await redeem(known, protocol, { callback, secrets })
      } catch (cause) {
        if (isUnreachable(cause)) {
          observe({ kind: 'issuer-unavailable', issuer, cause: withoutTokens(cause) })
          throw unavailable('The provider cannot be reached. Try again later.')
        }
        observe({ kind: 'provider-refused', issuer, cause: withoutTokens(cause) })
        throw refuse('unauthenticated', { detail: 'The provider did not sign you in. Start again.' })
      }
    },
  }
}

async function configure({ protocol, client }: CodeFlowOptions): Promise<KnownProvider> {
  const library = await import('openid-client')
  const configuration = await protocol.configure(library, client)
  configuration.timeout = timeout
  configuration[library.customFetch] = fetchBounded
  // The definition permits http on this machine only.
  if (protocol.issuer.startsWith('http:')) library.allowInsecureRequests(configuration)
  return { library, configuration }
}

/** Like `fetch`, without redirects, and with a bounded response. */
export async function fetchBounded(uri: string, options: CustomFetchOptions): Promise<Response> {
  // The body of the library's requests is a text or form, which `fetch` accepts.
  const response = await fetch(uri, { ...(options as RequestInit), redirect: 'manual' })
  const parts: Uint8Array[] = []
  let octets = 0
  for await (const part of response.body ?? []) {
    octets += part.length
    if (octets > maxOctets) throw new Error(`The response of ${uri} has more than ${maxOctets} octets`)
    parts.push(part)
  }
  const { status, statusText, headers } = response
  const body = octets === 0 ? null : Buffer.concat(parts)
  return new Response(body, { status, statusText, headers })
}

async function begin(
  { library, configuration }: KnownProvider,
  { parameters, hasIdToken }: Protocol,
  redirectUri: string,
): Promise<BegunSignIn> {
  const [state, nonce, verifier] = [
    library.randomState(),
    library.randomNonce(),
    library.randomPKCECodeVerifier(),
  ]
  const uri = library.buildAuthorizationUrl(configuration, {
    ...parameters,
    redirect_uri: redirectUri,
    state,
    ...(hasIdToken && { nonce }),
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { uri: String(uri), state, nonce, verifier }
}

interface Arrived {
  readonly callback: URL
  readonly secrets: FlowSecrets
}

/** The person whom the tokens prove, which are used for nothing else. */
async function redeem(
  known: KnownProvider,
  protocol: Protocol,
  { callback, secrets }: Arrived,
): Promise<ProvenIdentity> {
  const { state, nonce, verifier } = secrets
  const tokens = await known.library.authorizationCodeGrant(known.configuration, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    ...(protocol.hasIdToken && { expectedNonce: nonce, idTokenExpected: true }),
  })
  return protocol.identify(known, tokens)
}

function isUnreachable(error: unknown): boolean {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return code === 'OAUTH_TIMEOUT' || name === 'TimeoutError' || isFailedFetch(error)
}

/** The error of `fetch` where no connection is made. */
function isFailedFetch(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

/** The causes of the library's errors have tokens and claims, which no log may show. */
function withoutTokens(error: unknown): Error {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return new Error([code, message].filter((one) => typeof one === 'string').join(': '))
}
