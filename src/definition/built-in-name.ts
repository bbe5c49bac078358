/** The names of the resources and tables that the service declares itself. */

export type BuiltInName =
  | 'tokens'
  | 'account_identities'
  | 'account_mails'
  | 'account_credentials'
  | 'account_code_attempts'
  | 'webhooks'
  | 'invitations'
  | 'webhook_deliveries'
  | 'log_cursors'
  | 'log_queue'
  | 'jobs'
  | 'file_uploads'
  | 'file_upload_parts'

/** The built-in collection, whatever its path is; undefined where the service has none. */
export function findBuiltIn<Resource extends { readonly builtIn: BuiltInName | undefined }>(
  resources: ReadonlyMap<string, Resource>,
  name: BuiltInName,
): Resource | undefined {
  return [...resources.values()].find(({ builtIn }) => builtIn === name)
}
