/** The code of sign-in with providers, which services load whose definition names some. */

import type { DocumentPages } from '../../html/html.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import { linkPage } from './link-page.ts'
import { providerClients } from './provider-clients.ts'
import { providerCallback, providerSignIn } from './provider-sign-in.ts'

export const providersParts = {
  requests: {
    documents: [providerSignIn, providerCallback],
    parts: [providerClients],
  } satisfies RequestsPart,
  pages: { 'provider-sign-in': linkPage } satisfies DocumentPages,
}
