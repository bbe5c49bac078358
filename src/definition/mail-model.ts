/** The mails of a service, as the definition declares them. */

export const mailKinds = ['passwordReset', 'passwordChanged'] as const
export type MailKind = (typeof mailKinds)[number]

/** The words of a mail: `{title}`, `{login}` and `{link}` are replaced. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

export interface MailModel {
  /** The address of the sender. */
  readonly from: string
  readonly texts: Readonly<Record<MailKind, MailText>>
}

export const defaultMailTexts: Readonly<Record<MailKind, MailText>> = {
  passwordReset: {
    subject: 'Set a new password for {title}',
    text: 'A new password was requested for your account {login} at {title}.\n\nTo set it, open this page within one hour:\n\n{link}\n\nIf it was not you, do nothing. Your password stays as it is.',
  },
  passwordChanged: {
    subject: 'Your password for {title} was changed',
    text: 'The password of your account {login} at {title} was changed. All other sessions and tokens of the account have ended.\n\nIf it was not you, ask for a new password at once:\n\n{link}',
  },
}
