/** Sends one request exactly as the load does, and returns its response. */

import { Agent, type IncomingHttpHeaders, request as send } from 'node:http'

export interface BenchRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly fields?: Readonly<Record<string, string>>
  /** JSON. */
  readonly content?: string
  /** The expected status. */
  readonly status: number
}

export interface Answer {
  readonly status: number
  readonly fields: IncomingHttpHeaders
  /** Names and values alternately, as received. */
  readonly rawFields: readonly string[]
  readonly text: string
}

/** No keep-alive: a server may close an idle connection while it is reused. */
const agent = new Agent({ keepAlive: false, maxSockets: 16 })

/** Throws when the status is not the expected one. */
export async function ask(url: string, request: BenchRequest): Promise<Answer> {
  const answer = await exchange(url, request)
  if (answer.status === request.status) return answer
  const { method, path } = request
  throw new Error(`${url} answers ${method} ${path} with ${answer.status}: ${answer.text}`)
}

function exchange(url: string, { method, path, fields, content }: BenchRequest): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = { ...contentFields(content), ...fields }
  // As text: a URL object would encode some characters differently.
  const { hostname, port } = new URL(url)
  const sending = send({ hostname, port, path, method, headers, agent }, (response) => {
    const parts: Buffer[] = []
    response.on('data', (part: Buffer) => parts.push(part))
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        fields: response.headers,
        rawFields: response.rawHeaders,
        text: Buffer.concat(parts).toString(),
      }),
    )
  })
  sending.on('error', reject)
  sending.end(content)
  return promise
}

/** Formats the request as octets on the wire. */
export function messageOf(url: string, { method, path, fields, content }: BenchRequest): string {
  const { host } = new URL(url)
  const all = Object.entries({ Host: host, ...fields, ...contentFields(content) })
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content ?? ''}`
}

function contentFields(content: string | undefined): Readonly<Record<string, string>> {
  if (content === undefined) return {}
  const length = String(Buffer.byteLength(content))
  return { 'Content-Type': 'application/json', 'Content-Length': length }
}
