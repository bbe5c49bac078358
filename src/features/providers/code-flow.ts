/**
 * OpenID Connect with openid-client: the code flow with PKCE, state, nonce and `iss` (RFC 9700, RFC 9207). The library
 * is loaded when the first person signs in with a provider.
 */

import type { Configuration, CustomFetchOptions } from 'openid-client'
import { maxSignInAge } from '../../access/recent-sign-in.ts'
import type { Observer } from '../../observation.ts'
import { refuse, unavailable } from '../../refusal.ts'
import type { BegunSignIn, FlowSecrets, ProvenIdentity, ProviderClient } from './provider-client.ts'

export interface OidcClientOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly observe: Observer
  readonly now: () => number
}

/** In seconds. */
const timeout = 5
const maxOctets = 256 * 1024
/** Milliseconds after which the discovery document is read again. */
const freshFor = 3_600_000

export function createOidcClient(options: OidcClientOptions): ProviderClient {
  const { issuer, observe, now } = options
  let discovered: { readonly at: number; readonly provider: Promise<DiscoveredProvider> } | undefined

  async function current(): Promise<DiscoveredProvider> {
    if (!discovered || now() - discovered.at > freshFor) {
      discovered = { at: now(), provider: discover(options) }
    }
    try {
      return await discovered.provider
    } catch (cause) {
      discovered = undefined
      observe({ kind: 'issuer-unavailable', issuer, cause })
      throw unavailable('The provider cannot be reached. Try again later.')
    }
  }

  return {
    begin: async (redirectUri) => begin(await current(), redirectUri),
    async finish(callback, secrets) {
      const known = await current()
      try {
        return identityOf(await redeem(known, callback, secrets))
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

/** The library, and what the discovery document of the provider says. */
interface DiscoveredProvider {
  readonly oidc: typeof import('openid-client')
  readonly configuration: Configuration
}

async function discover({ issuer, clientId, clientSecret }: OidcClientOptions): Promise<DiscoveredProvider> {
  const oidc = await import('openid-client')
  // The definition permits http on this machine only.
  const insecure = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []
  const configuration = await oidc.discovery(
    new URL(issuer),
    clientId,
    clientSecret,
    oidc.ClientSecretPost(clientSecret),
    { timeout, execute: insecure, [oidc.customFetch]: fetchBounded },
  )
  if (configuration.serverMetadata().issuer !== issuer) {
    throw new Error(`The discovery document of ${issuer} names another issuer`)
  }
  configuration.timeout = timeout
  // The signature of the ID token is verified too, with the keys of the provider.
  oidc.enableNonRepudiationChecks(configuration)
  return { oidc, configuration }
}

/** Like `fetch`, without redirects, and with a bounded response. */
async function fetchBounded(uri: string, options: CustomFetchOptions): Promise<Response> {
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

async function begin({ oidc, configuration }: DiscoveredProvider, redirectUri: string): Promise<BegunSignIn> {
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()]
  const uri = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    // Asks for a recent proof, and for the claim `auth_time` (OIDC Core §3.1.2.1).
    max_age: String(maxSignInAge),
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { uri: String(uri), state, nonce, verifier }
}

/** The claims of the ID token, with those of the UserInfo endpoint where the address is only there (OIDC Core §5.4). */
async function redeem(
  { oidc, configuration }: DiscoveredProvider,
  callback: URL,
  secrets: FlowSecrets,
): Promise<Claims> {
  const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: secrets.verifier,
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('The provider sent no ID token')
  const { iss, sub, auth_time } = claims
  if (claims.email !== undefined || !configuration.serverMetadata().userinfo_endpoint) return claims
  // Refuses another subject than that of the ID token (§5.3.2).
  const userInfo = await oidc.fetchUserInfo(configuration, tokens.access_token, sub)
  // Only the ID token says when the person was asked.
  return { ...userInfo, iss, sub, auth_time }
}

interface Claims {
  readonly iss: string
  readonly sub: string
  readonly [name: string]: unknown
}

function identityOf(claims: Claims): ProvenIdentity {
  const { iss, sub, email, email_verified: isVerified, name, auth_time: askedAt } = claims
  const isProven = isVerified === true && typeof email === 'string'
  return {
    issuer: iss,
    subject: sub,
    email: isProven ? email : undefined,
    name: typeof name === 'string' && name !== '' ? name : undefined,
    authenticatedAt: typeof askedAt === 'number' ? askedAt * 1000 : undefined,
  }
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
