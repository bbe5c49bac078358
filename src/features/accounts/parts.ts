/** The code of accounts, which services with accounts load. */

import { tokensTable } from '../../definition/tokens-resource.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import { changePassword } from './change-password.ts'
import { createToken } from './create-token.ts'
import { beginAccountChange, renewOwnSession } from './own-credentials.ts'

export const accountsParts = {
  requests: {
    documents: [changePassword],
    accounts: { beginChange: beginAccountChange, writesBeside: renewOwnSession },
    tables: [[tokensTable, { create: createToken }]],
  } satisfies RequestsPart,
}
