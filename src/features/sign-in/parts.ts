/** The code of signing in on pages, which services with accounts load. */

import type { DocumentPages } from '../../html/html.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import { currentSession } from './current-session.ts'
import { signIn, signOut } from './sign-in.ts'
import { secondFactorPage, signInPage, signOutPage } from './sign-in-page.ts'

export const signInParts = {
  requests: {
    documents: [signIn, signOut, currentSession],
  } satisfies RequestsPart,
  pages: {
    'sign-in': signInPage,
    'sign-out': signOutPage,
    'second-factor': secondFactorPage,
  } satisfies DocumentPages,
}
