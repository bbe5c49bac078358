/** The header fields that the service sends, for the servers it is measured against. */

import { randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** By scenario, as a flat list of names and values. */
export type SampleFields = Readonly<Record<string, readonly string[]>>

export const samples = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as SampleFields

/** Those of the sample, some with values of this answer's own. */
export function send(
  response: ServerResponse,
  { scenario, status, body, own = {} }: Sending,
): void {
  const fields: string[] = []
  const sample = samples[scenario] ?? []
  for (let at = 0; at < sample.length; at += 2) {
    const name = sample[at] as string
    fields.push(name, own[name] ?? (sample[at + 1] as string))
  }
  fields.push('Request-Id', randomUUIDv7(), 'Content-Length', String(Buffer.byteLength(body)))
  response.removeHeader('connection')
  response.writeHead(status, fields)
  response.end(body)
}

export interface Sending {
  readonly scenario: string
  readonly status: number
  readonly body: string
  readonly own?: Readonly<Record<string, string>>
}

/** Says where it listens as the service does. */
export function listen(listener: RequestListener): void {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`Listening on http://127.0.0.1:${port}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}
