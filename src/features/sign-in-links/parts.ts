/** The code of signing in by links, which services load whose definition declares it. */

import type { DocumentPages } from '../../html/html.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import { signInLink } from './sign-in-link.ts'
import { signInLinks } from './sign-in-links.ts'
import { signInLinkPage, signInLinksPage } from './sign-in-links-pages.ts'

export const signInLinksParts = {
  requests: {
    documents: [signInLinks, signInLink],
  } satisfies RequestsPart,
  pages: { 'sign-in-links': signInLinksPage, 'sign-in-link': signInLinkPage } satisfies DocumentPages,
}
