/** The code of mails, which services load whose definition declares mail. */

import type { DocumentPages } from '../../html/html.ts'
import type { RequestsPart } from '../../requests/feature-code.ts'
import type { WorkPart } from '../../work/erase-work.ts'
import { accountNotices } from './account-notice.ts'
import { createCodeMail } from './code/code-mail.ts'
import { unsubscription } from './code/unsubscription.ts'
import { createInvitation } from './invitations/create-invitation.ts'
import { invitation } from './invitations/invitation.ts'
import { invitationsTable } from './invitations/invitations-resource.ts'
import { startTasks } from './mail-consumer.ts'
import { mailPart } from './mail-context.ts'
import {
  invitationPage,
  mailsPage,
  passwordResetPage,
  passwordResetsPage,
  unsubscriptionPage,
  verificationPage,
  verificationsPage,
} from './mail-pages.ts'
import { eraseMail } from './mail-record.ts'
import { mails } from './mails.ts'
import { passwordReset, passwordResets } from './resets/password-resets.ts'
import { requestSignUp, requireCreatableAtUri } from './sign-up/sign-up.ts'
import { verification, verifications } from './verifications/verifications.ts'

export const mailParts = {
  requests: {
    documents: [
      passwordResets,
      passwordReset,
      verifications,
      verification,
      invitation,
      mails,
      unsubscription,
    ],
    accounts: {
      create: requestSignUp,
      requireCreatableAtUri,
      writesBeside: async (...change) => accountNotices(...change),
    },
    tables: [[invitationsTable, { create: createInvitation }]],
    parts: [mailPart],
    createCodeTool: createCodeMail,
  } satisfies RequestsPart,
  pages: {
    'password-resets': passwordResetsPage,
    'password-reset': passwordResetPage,
    invitation: invitationPage,
    verifications: verificationsPage,
    verification: verificationPage,
    mails: mailsPage,
    unsubscription: unsubscriptionPage,
  } satisfies DocumentPages,
  work: { erasures: { mails: eraseMail } } satisfies WorkPart,
  startTasks,
}
