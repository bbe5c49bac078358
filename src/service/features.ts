/** The list of features, with their contributions to the service. */

import type { TableTraits } from '../definition/built-in-table.ts'
import { credentialsTable } from '../definition/credentials-resource.ts'
import { tokensTable } from '../definition/tokens-resource.ts'
import { createToken } from '../features/accounts/create-token.ts'
import { renewOwnSession } from '../features/accounts/own-credentials.ts'
import { eraseUploads } from '../features/files/erase-uploads.ts'
import {
  eraseAfterRun,
  eraseEndedJobs,
  eraseJob,
  eraseScheduledRun,
} from '../features/logic/erase-logic-work.ts'
import { cancelJob, prepareJobDeletion } from '../features/logic/jobs/job-operations.ts'
import { jobsTable } from '../features/logic/jobs/jobs-resource.ts'
import { accountNotices } from '../features/mail/account-notice.ts'
import { eraseMail } from '../features/mail/erase-mail.ts'
import { createInvitation } from '../features/mail/invitations/create-invitation.ts'
import { invitationsTable } from '../features/mail/invitations/invitations-resource.ts'
import { createCredential } from '../features/second-factors/create-credential.ts'
import { confirmCredential, prepareRevocation } from '../features/second-factors/credential-operations.ts'
import { createWebhook, restartWebhook } from '../features/webhooks/create-webhook.ts'
import { eraseDelivery } from '../features/webhooks/erase-delivery.ts'
import { ping, redeliver, rotate } from '../features/webhooks/webhook-operations.ts'
import { deliveriesTable, webhooksTable } from '../features/webhooks/webhooks-resource.ts'
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
export const tableBehaviours: TableBehaviours = {
  accounts: {
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
