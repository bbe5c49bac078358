/** The list of features, with their contributions to the service. */

import type { TableTraits } from '../definition/built-in-table.ts'
import { credentialsTable } from '../definition/credentials-resource.ts'
import type { Model } from '../definition/model.ts'
import { tokensTable } from '../definition/tokens-resource.ts'
import { changePassword } from '../features/accounts/change-password.ts'
import { createToken } from '../features/accounts/create-token.ts'
import { beginAccountChange, renewOwnSession } from '../features/accounts/own-credentials.ts'
import { audit } from '../features/audit/audit-document.ts'
import { auditPage } from '../features/audit/audit-page.ts'
import { eraseUploads } from '../features/files/erase-uploads.ts'
import { upload } from '../features/files/upload-document.ts'
import { uploadsName } from '../features/files/uploads-resource.ts'
import { formerVersion, history } from '../features/history/history-document.ts'
import { historyPage, versionPage } from '../features/history/history-page.ts'
import { resultPageName } from '../features/logic/action-result.ts'
import {
  eraseAfterRun,
  eraseEndedJobs,
  eraseJob,
  eraseScheduledRun,
} from '../features/logic/erase-logic-work.ts'
import { cancelJob, prepareJobDeletion } from '../features/logic/jobs/job-operations.ts'
import { jobsTable } from '../features/logic/jobs/jobs-resource.ts'
import { performAction } from '../features/logic/perform-action.ts'
import { resultPage } from '../features/logic/result-page.ts'
import { accountNotices } from '../features/mail/account-notice.ts'
import { eraseMail } from '../features/mail/erase-mail.ts'
import { createInvitation } from '../features/mail/invitations/create-invitation.ts'
import { invitation } from '../features/mail/invitations/invitation.ts'
import { invitationsTable } from '../features/mail/invitations/invitations-resource.ts'
import {
  invitationPage,
  mailsPage,
  passwordResetPage,
  passwordResetsPage,
  verificationPage,
  verificationsPage,
} from '../features/mail/mail-pages.ts'
import { mails } from '../features/mail/mails.ts'
import { passwordReset, passwordResets } from '../features/mail/resets/password-resets.ts'
import { requestSignUp, requireCreatableAtUri } from '../features/mail/sign-up/sign-up.ts'
import { verification, verifications } from '../features/mail/verifications/verifications.ts'
import { providerCallback, providerSignIn } from '../features/providers/provider-sign-in.ts'
import { createCredential } from '../features/second-factors/create-credential.ts'
import { confirmCredential, prepareRevocation } from '../features/second-factors/credential-operations.ts'
import { passkey } from '../features/second-factors/passkeys/passkey-document.ts'
import { secondFactor } from '../features/second-factors/second-factor-document.ts'
import { signIn, signOut } from '../features/sign-in/sign-in.ts'
import { secondFactorPage, signInPage, signOutPage } from '../features/sign-in/sign-in-page.ts'
import { createWebhook, restartWebhook } from '../features/webhooks/create-webhook.ts'
import { eraseDelivery } from '../features/webhooks/erase-delivery.ts'
import { ping, redeliver, rotate } from '../features/webhooks/webhook-operations.ts'
import { deliveriesTable, webhooksTable } from '../features/webhooks/webhooks-resource.ts'
import type { DocumentPages } from '../html/html.ts'
import { statusPage } from '../operation/status-page.ts'
import type { Document } from '../requests/context/target.ts'
import type { FeatureCode } from '../requests/feature-code.ts'
import type { TableBehaviour, TableBehaviours } from '../requests/table-behaviour.ts'
import type { EraseRows, WorkErasures } from '../work/erase-work.ts'

/** How the queued work of each consumer about an item is erased. */
export const workErasures: WorkErasures = {
  webhooks: eraseDelivery,
  after: eraseAfterRun,
  schedules: eraseScheduledRun,
  jobs: eraseJob,
  mails: eraseMail,
}

/** How rows beside the queue that name an item are erased. */
export const rowErasures: readonly EraseRows[] = [eraseEndedJobs, eraseUploads]

/** The code of accounts and of built-in tables. */
const tableBehaviours: TableBehaviours = {
  accounts: {
    create: requestSignUp,
    requireCreatableAtUri,
    beginChange: beginAccountChange,
    writesBeside: async (context, row, values) => [
      ...(await renewOwnSession(context, row, values)),
      ...accountNotices(context, row, values),
    ],
  },
  builtIn: new Map<TableTraits, TableBehaviour>([
    [tokensTable, { create: createToken }],
    [webhooksTable, { create: createWebhook, prepareChange: restartWebhook, actions: { ping, rotate } }],
    [deliveriesTable, { actions: { redeliver } }],
    [invitationsTable, { create: createInvitation }],
    [
      credentialsTable,
      {
        create: createCredential,
        actions: { confirm: confirmCredential },
        prepareDeletion: prepareRevocation,
      },
    ],
    [jobsTable, { actions: { cancel: cancelJob }, prepareDeletion: prepareJobDeletion }],
  ]),
}

/** The code of features that performs requests. That for files is loaded with the first request for one. */
export const featureCode: FeatureCode = {
  tables: tableBehaviours,
  action: performAction,
  async file(context, current, sent) {
    const { performOnFile } = await import('../features/files/perform-on-file.ts')
    return performOnFile(context, current, sent)
  },
}

/** The documents of features that every service has. */
export const featureDocuments = {
  audit,
  history,
  formerVersion,
  signIn,
  secondFactor,
  passkey,
  signOut,
} satisfies Readonly<Record<string, Document>>

/** The documents of features that a definition declares, by route. */
export function declaredDocuments(model: Model): readonly (readonly [string, Document])[] {
  return [
    ...(model.accounts ? [['/.well-known/change-password', changePassword] as const] : []),
    ...(model.mail ? mailDocuments : []),
    ...(model.providers.length > 0 ? providerDocuments : []),
    ...(model.ownTables.has(uploadsName) ? [['/uploads/{}', upload] as const] : []),
  ]
}

const mailDocuments: readonly (readonly [string, Document])[] = [
  ['/password-resets', passwordResets],
  ['/password-resets/{}', passwordReset],
  ['/verifications', verifications],
  ['/verifications/{}', verification],
  ['/invitations/{}', invitation],
  ['/mails', mails],
]

const providerDocuments: readonly (readonly [string, Document])[] = [
  ['/sign-in/{}', providerSignIn],
  ['/sign-in/{}/callback', providerCallback],
]

/** The pages of the documents of features, and of what operators see. */
export const featurePages: DocumentPages = {
  'sign-in': signInPage,
  'sign-out': signOutPage,
  'second-factor': secondFactorPage,
  'password-resets': passwordResetsPage,
  'password-reset': passwordResetPage,
  invitation: invitationPage,
  verifications: verificationsPage,
  verification: verificationPage,
  mails: mailsPage,
  status: statusPage,
  history: historyPage,
  [resultPageName]: resultPage,
  audit: auditPage,
  version: versionPage,
}
