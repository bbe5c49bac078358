/** The code of the audit. */

import type { RequestsPart } from '../../requests/feature-code.ts'
import { audit } from './audit-document.ts'

export const auditParts = {
  requests: { documents: [audit] } satisfies RequestsPart,
}
