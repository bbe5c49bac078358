/** The code of histories, which services load whose items have one. */

import type { DocumentPages } from '../../html/html.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import { formerVersion, history } from './history-document.ts'
import { versionPage } from './history-page.ts'

export const historyParts = {
  requests: {
    documents: [history, formerVersion],
  } satisfies RequestsPart,
  pages: { version: versionPage } satisfies DocumentPages,
}
