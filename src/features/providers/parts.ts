/** The code of sign-in with providers, which services load whose definition names some. */

import type { RequestsPart } from '../../requests/feature-code.ts'
import { providerClients } from './provider-clients.ts'
import { providerCallback, providerSignIn } from './provider-sign-in.ts'

export const providersParts = {
  requests: {
    documents: [
      ['/sign-in/{}', providerSignIn],
      ['/sign-in/{}/callback', providerCallback],
    ],
    parts: [providerClients],
  } satisfies RequestsPart,
}
