/** Mails to people, with links for invitations, sign-up, verifications and resets of passwords. */

import type { DefinitionPart } from '../../definition/definition-part.ts'
import type { Model } from '../../definition/model.ts'
import { checkMail } from './check-mail.ts'
import { checkInvitations } from './invitations/check-invitations.ts'
import { declareInvitations } from './invitations/invitations-resource.ts'
import { mailModel } from './mail-model.ts'
import { createMailsResource, mailsTable } from './mails-resource.ts'

export const mail = {
  name: 'mail',
  definition: {
    options: ['mail', 'invitations', 'accounts.signUp'],
    declare({ options, accounts, accountsOptions, administrators, declarations, faults }) {
      const hasMail = options.mail !== undefined
      const settings = checkInvitations(options.invitations, {
        accounts: accountsOptions,
        hasMail,
        administrators,
        declarations,
        faults,
      })
      if (accounts === undefined || !hasMail) return {}
      const mails = { table: mailsTable, resource: createMailsResource(accounts) }
      return { tables: [mails, declareInvitations({ accounts, administrators, settings })] }
    },
    resolve({ options, accounts, ...context }) {
      const declared = checkMail(options.mail, accounts, context)
      return { accounts: { receivesMail: declared !== undefined }, model: mailModel.with(declared) }
    },
  } satisfies DefinitionPart,
  isUsed: (model: Model) => mailModel.of(model) !== undefined,
  load: async () => (await import('./parts.ts')).mailParts,
}
