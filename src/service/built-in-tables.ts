/** The list of the built-in tables that features declare. Their code is in features.ts. */

import type { DeclaredTable, TableSettings } from '../definition/declared-table.ts'
import {
  createUploadPartsResource,
  createUploadsResource,
  uploadPartsTable,
  uploadsTable,
} from '../features/files/uploads-resource.ts'
import { declareJobs } from '../features/logic/jobs/jobs-resource.ts'
import { declareInvitations } from '../features/mail/invitations/invitations-resource.ts'
import { createMailsResource, mailsTable } from '../features/mail/mails-resource.ts'
import { declareWebhooks } from '../features/webhooks/webhooks-resource.ts'

/** Returns the tables that the service needs. */
export function declareTables(settings: TableSettings): readonly DeclaredTable[] {
  const { accounts, administrators, hasMail, hasJobs, hasFiles, webhooks, invitations } = settings
  return [
    ...(accounts === undefined
      ? []
      : declareWebhooks({ ...settings, accounts, settings: webhooks, path: settings.paths.webhooks })),
    ...(accounts === undefined || !hasMail
      ? []
      : [
          { table: mailsTable, resource: createMailsResource(accounts) },
          declareInvitations({ accounts, administrators, settings: invitations }),
        ]),
    ...(hasJobs ? [declareJobs({ accounts, administrators })] : []),
    ...(hasFiles
      ? [
          { table: uploadsTable, resource: createUploadsResource() },
          { table: uploadPartsTable, resource: createUploadPartsResource() },
        ]
      : []),
  ]
}
