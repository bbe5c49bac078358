/** Sends mails by SMTP with nodemailer, which is loaded only by services that send mail. */

import type { ComposedMail } from './compose-mail.ts'

export interface MailTransport {
  /** Sends the mail. Rejects when the server does not accept it. */
  send(mail: ComposedMail & { readonly id: string }): Promise<void>
  close(): void
}

/** In milliseconds. */
const smtpTimeout = 20_000

/** The transport for an URL such as `smtp://user:password@mail.example.org:587`. */
export async function createMailTransport(url: string): Promise<MailTransport> {
  const { createTransport } = await import('nodemailer')
  const parsed = new URL(url)
  const transport = createTransport({
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port) || (parsed.protocol === 'smtps:' ? 465 : 587),
    secure: parsed.protocol === 'smtps:',
    ...(parsed.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(parsed.username), pass: decodeURIComponent(parsed.password) } }),
    connectionTimeout: smtpTimeout,
    greetingTimeout: smtpTimeout,
    socketTimeout: smtpTimeout,
    // A definition must not attach files of this machine.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ id, to, unsubscribe, ...mail }) {
      // As an object, the address is not parsed as a list.
      const recipient = { name: '', address: to }
      await transport.sendMail({
        ...mail,
        to: recipient,
        messageId: id,
        headers: { 'Auto-Submitted': 'auto-generated', ...listFields(unsubscribe) },
      })
    },
    close: () => transport.close(),
  }
}

/** RFC 8058: mail programs show a button, which sends a POST. */
function listFields(uri: string | undefined): Readonly<Record<string, string>> {
  if (uri === undefined) return {}
  return { 'List-Unsubscribe': `<${uri}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
