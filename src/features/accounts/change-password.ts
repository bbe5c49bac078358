/** /.well-known/change-password (https://www.w3.org/TR/change-password-url/): where people change their password. */

import { html } from '../../formats/html.ts'
import type { Document } from '../../requests/context/target.ts'
import { EarlyResponse } from '../../requests/respond/early-response.ts'
import { formUri, signInUri } from '../../views/uri.ts'

const route = '/.well-known/change-password'

/** Redirects to the form of the caller's own account, after signing in. */
export const changePassword: Document = {
  route,
  personal: true,
  cache: 'no-store',
  formats: [html],
  load({ service: { model }, caller }) {
    const { accounts, base } = model
    if (!accounts) throw new Error('A service without accounts does not have the document')
    const uri =
      caller.kind === 'account'
        ? formUri(model, [accounts.resource.name, caller.identity])
        : `${signInUri(model)}?next=${encodeURIComponent(base + route)}`
    throw new EarlyResponse({ status: 303, fields: { Location: uri, 'Cache-Control': 'no-store' } })
  },
}
