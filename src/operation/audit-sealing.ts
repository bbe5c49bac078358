/** Continues the chain of the audit. */

import type { Model } from '../definition/model.ts'
import type { AuditSubjects } from '../store/audit-chain.ts'
import type { AuditStore } from '../store/audit-store.ts'

/** Entries of a step: other writes wait for it. */
const maxSealedEntries = 100
/** The tables of the model whose changes have kinds of their own. */
export function auditSubjectsOf({ tokens, accounts }: Model): AuditSubjects {
  return {
    tokens: tokens?.name,
    accounts: accounts?.resource.name,
    roles: accounts?.roles?.name,
    disabled: accounts?.disabled.name,
  }
}

/** Chains all entries of the log. A run of more than one step is repeated, for entries that were added during it. */
export async function sealAudit(audit: AuditStore, model: Model): Promise<void> {
  const subjects = auditSubjectsOf(model)
  while ((await audit.seal(subjects, maxSealedEntries)) > maxSealedEntries);
}
