/** A real SMTP server for tests, which keeps the mails that it accepts. */

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  readonly to: readonly string[]
  /** The message as it was sent, with soft line breaks removed. */
  readonly text: string
  /** The secrets of the links in it, each once. */
  readonly secrets: readonly string[]
}

export interface MailServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly received: readonly ReceivedMail[]
  /** Resolves when so many mails have arrived. */
  reached(count: number): Promise<void>
}

/** Starts the server, on a free port by default. `intercept` may delay a stage or end the client. */
export async function startMailServer(
  options: { readonly port?: number; readonly intercept?: SMTPServerOptions } = {},
): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const waiting = new Set<() => void>()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString().replace(/=\r\n/g, '').replace(/=3D/g, '=')
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const secrets = new Set(
          [
            ...text.matchAll(
              /(?:sign-in-links|password-resets|verifications|invitations|invites)\/([\w-]{43})/g,
            ),
          ].map(([, secret = '']) => secret),
        )
        received.push({ to, text, secrets: [...secrets] })
        for (const wake of waiting) wake()
        done()
      })
    },
    ...options.intercept,
  })
  // Clients that are killed end their connections.
  server.on('error', () => undefined)
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    async reached(count) {
      while (received.length < count) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
        })
        waiting.clear()
      }
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** A port at which no server listens at present. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
