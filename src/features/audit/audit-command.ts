/** `restwell audit verify`: checks the chain of the audit directly in the database. */

import { sealAudit } from '../../operation/audit-sealing.ts'
import {
  type AccountContext,
  printLine,
  runAccountAction,
} from '../../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../../operation/command-frame/command.ts'
import { verifyAudit } from './verify-audit.ts'

export const audit: Command = {
  usage: 'verify [--head HASH] [--service service.ts] [--database URL]',
  summary: 'Verifies that no entry of the audit was changed, removed or inserted, and prints its head.',
  run: (args, load) =>
    runAccountAction(
      'audit',
      { args, load },
      { values: ['head'], switches: [] },
      new Map([['verify', verify]]),
    ),
}

async function verify({ config, model, store }: AccountContext): Promise<void> {
  const known = config.values.head?.at(-1)
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
