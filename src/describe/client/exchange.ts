/** Sends the requests of the client, and repeats those that are safe to repeat. */

import type { ProblemName } from './problem-names.ts'
import type { ClientOptions, ContentFault } from './types.ts'

/**
 * An error response of the service, with the members of its problem (RFC 9457).
 * @example
 * import { client, Problem } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const api = client<typeof definition>('http://localhost:3000')
 * try {
 *   await api.notes.create({ title: '' })
 * } catch (error) {
 *   if (!(error instanceof Problem)) throw error
 *   for (const { pointer, detail } of error.errors ?? []) console.log(pointer, detail)
 * }
 */
export class Problem extends Error {
  readonly type: string = 'about:blank'
  readonly title: string = ''
  readonly status: number
  readonly detail: string | undefined
  readonly instance: string | undefined
  readonly errors: readonly ContentFault[] | undefined

  constructor(status: number, members: object) {
    super(`${status}`)
    this.name = 'Problem'
    Object.assign(this, members)
    this.status = status
    this.message = [this.title, this.detail].filter(Boolean).join(': ') || `Status ${status}`
  }
}

/**
 * Whether the error is a problem of the type, such as `duplicate`.
 * @example
 * import { client, isProblem } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * await notes.create({ title: 'Plan' }).catch((error: unknown) => {
 *   if (!isProblem(error, 'duplicate')) throw error
 *   console.log('There is a note with this title.', error.errors)
 * })
 */
export function isProblem(error: unknown, name: ProblemName): error is Problem {
  return error instanceof Problem && error.type.split(/[/#]/).at(-1) === name
}

/** The page that the client runs in; undefined outside of a browser. */
export const openPage: { readonly baseURI: string } | undefined = Reflect.get(globalThis, 'document')

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly sent?: unknown
  /** Content that is no JSON. */
  readonly content?: Blob
  /** Safe to repeat: `keyed` by an Idempotency-Key that is sent, `idempotent` by itself. */
  readonly keyed?: boolean
  readonly idempotent?: boolean
  /** Ends the request, and the content of its response. */
  readonly signal?: AbortSignal
}

export type Exchange = (uri: string, sending?: RequestOptions) => Promise<Response>

export function createExchange(client: ClientOptions): Exchange {
  const { authorization, retries = 3, fetch: send = (request) => fetch(request) } = client
  return async (uri, options = {}) => {
    const { method = 'GET', headers = {}, sent, content, keyed, idempotent, signal = null } = options
    const fields: Record<string, string> = { accept: 'application/json', ...headers }
    if (sent !== undefined) fields['content-type'] ??= 'application/json'
    if (keyed) fields['idempotency-key'] = `"${randomKey()}"`
    const body = content ?? (sent === undefined ? null : JSON.stringify(sent))
    const isRead = ['GET', 'HEAD', 'QUERY'].includes(method)
    const target = targetOf(uri, client, isRead)
    // Without it a 401 would open the password dialog of the browser.
    if (openPage && new URL(uri).origin === new URL(openPage.baseURI).origin) fields['restwell-client'] = '1'
    const repeatable = keyed === true || idempotent === true || isRead
    for (let left = repeatable ? retries : 0; ; left--) {
      const value = typeof authorization === 'function' ? await authorization() : authorization
      if (value !== undefined) fields.authorization = value
      const sending = send(new Request(target, { method, headers: fields, body, signal }))
      const response = await (left > 0 ? sending.catch(unlessAborted(signal)) : sending)
      if (response?.ok) return response
      const wait = left > 0 ? retryDelay(response, retries - left) : undefined
      if (response && wait === undefined) throw await readProblem(response)
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
}

/** A connection that failed has no response; an abort stays one. */
function unlessAborted(signal: AbortSignal | null): (error: unknown) => undefined {
  return (error) => {
    if (signal?.aborted) throw error
  }
}

async function readProblem(response: Response): Promise<Problem> {
  const json = /json/.test(response.headers.get('content-type') ?? '')
  return new Problem(response.status, json ? ((await response.json()) as object) : {})
}

/** `{ price: { gte: 10 }, sort: ['-price'] }` as `?price[gte]=10&sort=-price`. */
export function formatQuery(query: object): string {
  const parameters = new URLSearchParams()
  const controls = ['sort', 'fields', 'embed', 'group-by', 'aggregate']
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (controls.includes(name)) parameters.append(name, [value].flat().join())
    else if (typeof value !== 'object' || value === null) parameters.append(name, String(value))
    else
      for (const [operator, operand] of Object.entries(value))
        parameters.append(`${name}[${operator}]`, formatOperand(operand))
  }
  return parameters.size > 0 ? `?${parameters}` : ''
}

function formatOperand(operand: unknown): string {
  if (!Array.isArray(operand)) return String(operand)
  return operand.map((one) => String(one).replace(/[\\,]/g, '\\$&')).join()
}

/** The URI of a request, with the parameters that every request has. Links of the service have them already. */
function targetOf(uri: string, options: ClientOptions, isRead: boolean): string {
  const { dryRun, apiVersion = '' } = options
  const target = new URL(uri)
  if (dryRun && !isRead) target.searchParams.set('dry-run', 'true')
  if (apiVersion !== '') target.searchParams.set('api-version', apiVersion)
  return dryRun || apiVersion !== '' ? String(target) : uri
}

/** Milliseconds: Retry-After, else exponential back-off; undefined: do not retry. */
export function retryDelay(response: Response | undefined, before: number): number | undefined {
  if (response && ![429, 503].includes(response.status)) return undefined
  const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN)
  if (seconds > 60) return undefined
  return seconds >= 0 ? seconds * 1000 : 100 * 2 ** before * (1 + Math.random())
}

/** Without `crypto.randomUUID`, which browsers offer over TLS only. */
function randomKey(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
}
