/** `/-/session`: who the caller is, for front ends and programs. */

import type { Document } from '../../requests/context/target.ts'
import { findOwnAccount } from '../../requests/read/find-item.ts'

export const currentSession: Document = {
  route: '/-/session',
  name: 'session',
  summary: 'Who the caller is',
  schema: {
    type: 'object',
    properties: {
      signedIn: { type: 'boolean' },
      account: { type: ['string', 'null'] },
      roles: { type: 'array', items: { type: 'string' } },
      expiresAt: { type: 'string', format: 'date-time' },
    },
    required: ['signedIn', 'account', 'roles'],
  },
  personal: true,
  cache: 'no-store',
  hasEntityTag: false,
  async load({ service, caller }) {
    const account = await findOwnAccount(service, caller)
    const expiresAt =
      caller.kind === 'account' && caller.credential.kind !== 'password' && caller.credential.expiresAt
    return {
      data: {
        signedIn: caller.kind !== 'anonymous',
        account: account?.uri ?? null,
        roles: caller.kind === 'anonymous' ? [] : [...caller.roles].toSorted(),
        ...(expiresAt && { expiresAt }),
      },
    }
  },
}
