/** The list of features, with their contributions to the service. */

import { eraseUploads } from '../features/files/erase-uploads.ts'
import {
  eraseAfterRun,
  eraseEndedJobs,
  eraseJob,
  eraseScheduledRun,
} from '../features/logic/erase-logic-work.ts'
import { eraseMail } from '../features/mail/erase-mail.ts'
import { eraseDelivery } from '../features/webhooks/erase-delivery.ts'
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
