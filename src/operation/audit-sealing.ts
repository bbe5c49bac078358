/** Continues the chain of the audit in the background, and prunes its oldest entries. */

import type { Model } from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import type { AuditSubjects } from '../store/audit-chain.ts'
import type { AuditStore } from '../store/audit-store.ts'
import { repeatTask } from './repeated-task.ts'

/** Entries of a step: other writes wait for it. */
const maxSealedEntries = 100
/** Milliseconds between runs. */
const runInterval = 1000

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

/** Starts sealing; returns a function that stops it. */
export function startAuditSealing(audit: AuditStore, model: Model, observe: Observer): () => void {
  const run = () => sealAudit(audit, model)
  return repeatTask({ name: 'audit', interval: runInterval, run }, observe)
}
