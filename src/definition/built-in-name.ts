/** The names of the resources and tables that the service declares itself. */

export type BuiltInName =
  | 'tokens'
  | 'account_identities'
  | 'account_mails'
  | 'webhooks'
  | 'webhook_deliveries'
  | 'log_cursors'
  | 'log_queue'
  | 'jobs'
  | 'file_uploads'
  | 'file_upload_parts'
