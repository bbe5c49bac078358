/** The Bearer scheme (RFC 6750): a token of ours, or a JWT of an issuer that is believed. */

import { findTokenAccount, type Tokens } from './api-token.ts'
import type { Scheme } from './authenticate.ts'
import type { JwtCheck } from './jwt.ts'
import { looksLikeSecret } from './secret-token.ts'

export function bearerScheme(tokens: Tokens | undefined, checkJwt: JwtCheck | undefined): Scheme {
  return {
    name: 'Bearer',
    // RFC 6750 §3.1.
    invalid: { error: 'invalid_token' },
    authenticate(credentials) {
      if (looksLikeSecret(credentials)) return tokens && findTokenAccount(tokens, credentials)
      return checkJwt?.(credentials)
    },
  }
}
