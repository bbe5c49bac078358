/** The header fields of the service, for the servers that it is compared with. */

import { randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type AnswerKind =
  | 'item'
  | 'list'
  | 'created'
  | 'patched'
  | 'deleted'
  | 'item unchanged'
  | 'list unchanged'

/** By kind, as a flat list of names and values. */
export type SampleFields = Readonly<Record<AnswerKind, readonly string[]>>

const statusOf: Readonly<Record<AnswerKind, number>> = {
  item: 200,
  list: 200,
  created: 201,
  patched: 200,
  deleted: 204,
  'item unchanged': 304,
  'list unchanged': 304,
}

const samples = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as SampleFields

/** The sampled fields, some with values of this response. */
export function send(response: ServerResponse, kind: AnswerKind, { body, own = {} }: Sending): void {
  const fields: string[] = []
  const sample = samples[kind]
  for (let at = 0; at < sample.length; at += 2) {
    const name = sample[at] as string
    fields.push(name, own[name] ?? (sample[at + 1] as string))
  }
  fields.push('Request-Id', randomUUIDv7())
  if (body !== undefined) fields.push('Content-Length', String(Buffer.byteLength(body)))
  response.removeHeader('connection')
  response.writeHead(statusOf[kind], fields)
  response.end(body)
}

export interface Sending {
  readonly body?: string
  readonly own?: Readonly<Record<string, string>>
}

/** Reads JSON. */
export function readContent<Content>(request: IncomingMessage, next: (content: Content) => void): void {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => next(JSON.parse(Buffer.concat(parts).toString()) as Content))
}

/** Prints its address like the service. */
export function listen(listener: RequestListener): void {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`Listening on http://127.0.0.1:${port}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}
