/** The actor of the change log that a caller is. */

import type { Actor } from '../store/change-log.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Principal } from './principal.ts'

/** The account with the credential that it used, or the subject of an issuer. Anonymous has no member. */
export const actorOf = memoizeByObject((caller: Principal): Actor => {
  switch (caller.kind) {
    case 'anonymous':
      return {}
    case 'external':
      return { issuer: caller.issuer, subject: caller.subject }
    case 'system':
      return { name: 'logic' }
    case 'account': {
      const { identity: account, credential } = caller
      if (credential.kind === 'token') return { account, token: credential.identity }
      if (credential.kind === 'password') return { account }
      return { account, issuer: credential.issuer, subject: credential.subject }
    }
  }
})
