/** The requests for links in mails. Part of the client, which is one module. */

import { segmentOf } from './format-query.ts'
import type { MailMethods } from './mail-methods.ts'
import type { ClientOptions } from './options.ts'

interface MailContext {
  readonly exchange: (
    uri: string,
    sending: { readonly method: string; readonly sent: object },
  ) => Promise<Response>
  /** The URI of the service, with a slash at its end. */
  readonly root: string
  readonly paths: NonNullable<ClientOptions['paths']>
}

/** Returns the methods. Their requests have no Idempotency-Key, so they are not repeated. */
export function mailMethods({ exchange, root, paths }: MailContext): MailMethods {
  const request = (path: string) => async (sent: object) => {
    await exchange(root + path, { method: 'POST', sent })
  }
  const use = (path: string) => (secret: string, sent: object) =>
    request(`${path}/${segmentOf(secret)}`)(sent)
  const resets = paths['password-resets'] ?? 'password-resets'
  const verifications = paths.verifications ?? 'verifications'
  return {
    requestPasswordReset: request(resets),
    resetPassword: use(resets),
    requestVerification: request(verifications),
    confirmAddress: use(verifications),
    acceptInvitation: use(paths.invitations ?? 'invitations'),
  }
}
