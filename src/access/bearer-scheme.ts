/** The Bearer scheme (RFC 6750): a token of this service, or a JWT of a trusted issuer. */

import type { TokenContext } from './account-tokens.ts'
import type { AuthenticationScheme } from './authenticate.ts'
import type { JwtVerifier } from './jwt.ts'
import { hasSecretTokenPrefix } from './secret-token.ts'
import { findTokenAccount } from './token-lookup.ts'

export function createBearerScheme(
  tokens: TokenContext | undefined,
  checkJwt: JwtVerifier | undefined,
): AuthenticationScheme {
  return {
    name: 'Bearer',
    // RFC 6750 §3.1.
    invalid: { error: 'invalid_token' },
    async authenticate(credentials) {
      if (hasSecretTokenPrefix(credentials)) return tokens && findTokenAccount(tokens, credentials)
      return checkJwt?.(credentials)
    },
  }
}
