/** A receiver of webhooks for tests: it records requests and responds as it is told. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '../../eventually.ts'

export interface ReceivedMessage {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  readonly json: any
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly received: readonly ReceivedMessage[]
  /** Resolves when so many messages have arrived. */
  reached(count: number): Promise<void>
}

export type Respond = (message: ReceivedMessage, response: ServerResponse, count: number) => void

/** Starts a receiver, which responds with 204 by default. */
export async function startReceiver(
  respond: Respond = (_, response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const received: ReceivedMessage[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString()
      const message = { path: request.url ?? '', headers: request.headers, text, json: JSON.parse(text) }
      received.push(message)
      respond(message, response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    async reached(count) {
      await eventually(() => received.length >= count)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
