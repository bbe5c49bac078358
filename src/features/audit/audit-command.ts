/** `restwell audit verify`: checks the chain of the audit directly in the database. */

import { sealAudit } from '../../operation/audit-sealing.ts'
import {
  type AccountContext,
  printLine,
  runAccountAction,
} from '../../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../../operation/command-frame/command.ts'
import { type AuditEntry, type ChainEnd, digestOf, hashOf } from '../../store/audit-chain.ts'
import type { AuditStore } from '../../store/audit-store.ts'

export const audit: Command = {
  usage: 'verify [--head HASH] [--service service.ts] [--database URL]',
  summary: 'Verifies that no entry of the audit was changed, removed or inserted, and prints its head.',
  run: (args, load) =>
    runAccountAction('audit', { args, load }, { values: ['head'] }, new Map([['verify', verify]])),
}

async function verify({ config, model, store }: AccountContext): Promise<void> {
  const known = config.values.head
  // SHA-256 in base64url. A mistyped head must not look like a removed entry.
  if (known !== undefined && !/^[\w-]{43}$/.test(known))
    throw new CommandFault('The given head is no head of an audit.')
  // Checked before the chain continues, so that a removed tail is noticed.
  const { faults } = await verifyAudit(store.audit, known)
  if (faults.length > 0) throw new CommandFault(faults.join('\n'))
  await sealAudit(store.audit, model)
  const { entries, head } = await verifyAudit(store.audit)
  printLine(`${entries} ${entries === 1 ? 'entry' : 'entries'} verified. Keep the head elsewhere:`)
  printLine(head)
}

/** The result for the chain, and for the values that the change log and histories still have. */
interface AuditVerification {
  /** A sentence for each fault; empty for an intact audit. */
  readonly faults: readonly string[]
  readonly entries: number
  /** The hash of the last entry, to be kept elsewhere. */
  readonly head: string
}

const batch = 1000

/**
 * Reads all entries. `known`: a head of an earlier verification; where the audit lacks it, the tail was
 * cut off or replaced, unless it was pruned.
 */
export async function verifyAudit(audit: AuditStore, known?: string): Promise<AuditVerification> {
  const { checkpoint, end } = await audit.extent()
  const faults: string[] = []
  const found = { isKnown: known === undefined || known === checkpoint.hash, erased: new Set<string>() }
  const withoutSalt: AuditEntry[] = []
  let last: ChainEnd = checkpoint
  let entries = 0
  for (;;) {
    const part = await audit.list({ direction: 'newer', number: last.number, limit: batch, filter: {} })
    const [first] = part
    if (!first) {
      if (end.number > last.number)
        faults.push(`Entries ${last.number + 1} to ${end.number - 1} were removed.`)
      break
    }
    const values = await audit.valuesOf(first.number, (part.at(-1) ?? first).number)
    for (const entry of part) {
      const fault = findFault(last, entry) ?? findValueFault(entry, values)
      if (fault !== undefined) faults.push(`Entry ${entry.number} (${entry.at}): ${fault}`)
      if (entry.hash === known) found.isKnown = true
      if (entry.kind === 'erased') found.erased.add(entry.identity)
      if (entry.salt === undefined) withoutSalt.push(entry)
      last = entry
    }
    entries += part.length
    if (faults.length >= maxFaults) break
  }
  const unmarked = withoutSalt.find(({ identity }) => !found.erased.has(identity))
  if (unmarked) faults.push(`Entry ${unmarked.number}: its values were removed without an erasure.`)
  const position = await audit.findUnaudited(checkpoint.position, end.position)
  if (position !== undefined) {
    faults.push(`The change log has an entry at position ${position} that the audit does not have.`)
  }
  if (!found.isKnown) faults.push('The given head is not in the audit: entries at its end were removed.')
  return { faults: faults.slice(0, maxFaults), entries, head: last.hash }
}

const maxFaults = 20

function findFault(previous: ChainEnd, entry: AuditEntry): string | undefined {
  if (entry.number !== previous.number + 1) {
    return `entries ${previous.number + 1} to ${entry.number - 1} were removed.`
  }
  if (hashOf(previous.hash, entry) !== entry.hash)
    return 'it was changed, inserted, or follows a removed one.'
  return undefined
}

/** Values that the log does not have any more are not checked. */
function findValueFault(
  { number, digest, salt }: AuditEntry,
  values: Awaited<ReturnType<AuditStore['valuesOf']>>,
): string | undefined {
  const logged = values.get(number)
  if (!logged || salt === undefined) return undefined
  return digestOf(logged, salt) === digest ? undefined : 'its values in the change log were changed.'
}
