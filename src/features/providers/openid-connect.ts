/** OpenID Connect: endpoints by discovery, and the person by an ID token, with nonce and `iss` (RFC 9207). */

import { maxSignInAge } from '../../access/recent-sign-in.ts'
import type { ProvenIdentity } from './code-flow.ts'
import { fetchBounded, type KnownProvider, type Protocol, type Tokens, timeout } from './code-flow.ts'

export function openIdConnect(issuer: string): Protocol {
  return {
    issuer,
    // `max_age` asks for a recent proof, and for the claim `auth_time` (OIDC Core §3.1.2.1).
    parameters: { scope: 'openid email profile', max_age: String(maxSignInAge) },
    hasIdToken: true,
    async configure(library, { id, secret }) {
      const insecure = issuer.startsWith('http:') ? [library.allowInsecureRequests] : []
      const configuration = await library.discovery(
        new URL(issuer),
        id,
        secret,
        library.ClientSecretPost(secret),
        { timeout, execute: insecure, [library.customFetch]: fetchBounded },
      )
      if (configuration.serverMetadata().issuer !== issuer) {
        throw new Error(`The discovery document of ${issuer} names another issuer`)
      }
      // The signature of the ID token is verified too, with the keys of the provider.
      library.enableNonRepudiationChecks(configuration)
      return configuration
    },
    identify: async (known, tokens) => identityOf(await readClaims(known, tokens)),
  }
}

/** The claims of the ID token, with those of the UserInfo endpoint where the address is only there (OIDC Core §5.4). */
async function readClaims({ library, configuration }: KnownProvider, tokens: Tokens): Promise<Claims> {
  const claims = tokens.claims()
  if (!claims) throw new Error('The provider sent no ID token')
  const { iss, sub, auth_time } = claims
  if (claims.email !== undefined || !configuration.serverMetadata().userinfo_endpoint) return claims
  // Refuses another subject than that of the ID token (§5.3.2).
  const userInfo = await library.fetchUserInfo(configuration, tokens.access_token, sub)
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
