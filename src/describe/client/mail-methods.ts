/** The methods for links in mails. Types only, because the text of this file is part of a `.d.ts`. */

/**
 * The methods of a service with mail. A secret is the last part of the link in a mail; it works once. A used or
 * expired one is rejected with a Problem (404).
 */
export interface MailMethods {
  /** Requests a mail with a link to set a new password. Resolves alike whether or not the login has an account. */
  requestPasswordReset(content: { readonly login: string }): Promise<void>
  /** Sets the password, and ends all sessions and tokens of the account. */
  resetPassword(secret: string, content: { readonly password: string }): Promise<void>
  /**
   * Requests a mail with a link that proves an address. With Basic credentials and `currentPassword`, another
   * address than that of the account becomes its login when the link is used.
   */
  requestVerification(content: { readonly login: string; readonly currentPassword?: string }): Promise<void>
  /** Proves the address, or completes a sign-up by mail, with the password of the account. */
  confirmAddress(secret: string, content: { readonly password?: string }): Promise<void>
  /** Creates the account of the invitation, with a password and the other fields that accounts require. */
  acceptInvitation(
    secret: string,
    content: { readonly password: string; readonly [field: string]: unknown },
  ): Promise<void>
}
