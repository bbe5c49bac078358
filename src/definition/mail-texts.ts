/** The kinds of mails of a service, their default texts, and the paths of their links. */

export const mailKinds = [
  'signIn',
  'passwordReset',
  'passwordChanged',
  'verification',
  'loginChanged',
  'credentialAdded',
  'credentialRemoved',
  'codesRefused',
  'signUp',
  'signUpRepeated',
  'invitation',
] as const
export type MailKind = (typeof mailKinds)[number]

/** The kind of mails that code sends, whose words are those of a template. */
export const codeMail = 'code'

/** The mails whose link has a secret; the others are notices. */
export const kindsWithSecret: ReadonlySet<MailKind> = new Set([
  'signIn',
  'passwordReset',
  'verification',
  'signUp',
  'invitation',
])

/** Whether the link of the mail makes an account: its recipient has none yet. */
export function createsAccount(kind: MailKind): boolean {
  return kind === 'signUp' || kind === 'invitation'
}

/** The words of a mail: `{title}`, `{login}` and `{link}` are replaced. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

export const defaultMailTexts: Readonly<Record<MailKind, MailText>> = {
  signIn: {
    subject: 'Sign in to {title}',
    text: 'To sign in to {title} as {login}, open this page within 15 minutes, in the browser in which you asked for it:\n\n{link}\n\nIf it was not you, do nothing. The link works in that browser alone.',
  },
  passwordReset: {
    subject: 'Set a new password for {title}',
    text: 'A new password was requested for your account {login} at {title}.\n\nTo set it, open this page within one hour:\n\n{link}\n\nIf it was not you, do nothing. Your password stays as it is.',
  },
  passwordChanged: {
    subject: 'Your password for {title} was changed',
    text: 'The password of your account {login} at {title} was changed. All other sessions and tokens of the account have ended.\n\nIf it was not you, ask for a new password at once:\n\n{link}',
  },
  verification: {
    subject: 'Confirm your address for {title}',
    text: 'To use {login} as the address of your account at {title}, open this page within one hour, and enter your password:\n\n{link}\n\nIf you have no account there, do nothing.',
  },
  loginChanged: {
    subject: 'Your address for {title} was changed',
    text: 'Your account at {title} has another address now. {login} cannot be used to sign in any more.\n\nIf it was not you, ask the people of {title} for help:\n\n{link}',
  },
  credentialAdded: {
    subject: 'A new way to sign in to {title}',
    text: 'An authenticator, a passkey, recovery codes or a provider was added to your account {login} at {title}.\n\nIf it was not you, set a new password at once, sign in, and remove the credential from your account:\n\n{link}',
  },
  credentialRemoved: {
    subject: 'A way to sign in to {title} was removed',
    text: 'An authenticator, a passkey, recovery codes or a provider was removed from your account {login} at {title}.\n\nIf it was not you, set a new password at once:\n\n{link}',
  },
  codesRefused: {
    subject: 'Wrong codes at the sign-in to {title}',
    text: 'Your password for {title} was entered for {login}, and then ten wrong codes. No codes are accepted for 15 minutes; a browser that has signed in before can still sign in.\n\nIf it was not you, another person knows your password. Set a new one at once:\n\n{link}',
  },
  signUp: {
    subject: 'Sign up for {title}',
    text: 'To sign up for {title} as {login}, open this page within one hour, and enter the password that you have chosen:\n\n{link}\n\nIf it was not you, do nothing. There is no account before the page is used.',
  },
  signUpRepeated: {
    subject: 'You have an account at {title}',
    text: 'A sign-up for {title} was requested with your address {login}. You have an account already, and nothing has changed.\n\nIf it was you and you have forgotten your password, set a new one:\n\n{link}',
  },
  invitation: {
    subject: 'Invitation to {title}',
    text: 'You are invited to {title} as {login}. To accept, open this page within seven days, and choose a password:\n\n{link}\n\nIf you do not want an account there, do nothing.',
  },
}

/** The document that a link leads to; undefined: the home document. */
export const linkPaths: Readonly<
  Record<MailKind, 'password-resets' | 'verifications' | 'invitations' | 'sign-in-links' | undefined>
> = {
  signIn: 'sign-in-links',
  passwordReset: 'password-resets',
  passwordChanged: 'password-resets',
  verification: 'verifications',
  loginChanged: undefined,
  credentialAdded: 'password-resets',
  credentialRemoved: 'password-resets',
  codesRefused: 'password-resets',
  signUp: 'verifications',
  signUpRepeated: 'password-resets',
  invitation: 'invitations',
}
