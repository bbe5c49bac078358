/** The code of the audit. */

import type { DocumentPages } from '../../html/html.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import { audit } from './audit-document.ts'
import { auditPage } from './audit-page.ts'

export const auditParts = {
  requests: { documents: [['/audit', audit]] } satisfies RequestsPart,
  pages: { audit: auditPage } satisfies DocumentPages,
}
