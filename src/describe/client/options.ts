/** The options of the client and the faults it reports. Types only, because the text of this file is part of a `.d.ts`. */

/**
 * How a client authenticates, retries and sends requests.
 * @example
 * import { readFile } from 'node:fs/promises'
 * import type { ClientOptions } from 'restwell/client'
 *
 * const options: ClientOptions = {
 *   authorization: async () => `Bearer ${await readFile('token.txt', 'utf8')}`,
 * }
 */
export interface ClientOptions {
  /** The value of the header field Authorization, or a function that returns it for each request. */
  readonly authorization?: string | (() => string | Promise<string>)
  /** How often a request that is safe to repeat is retried; 3 by default. */
  readonly retries?: number
  /** Whether writes are only tried: they return and throw what the write would, and change nothing. */
  readonly dryRun?: boolean
  /** The older version of the interface to use, such as `v1`; the client of `/client.js?api-version=v1` knows it. */
  readonly apiVersion?: string
  /** The paths that the definition of the service moves, such as `{ jobs: 'runs' }`; those of `/client.js` know them. */
  readonly paths?: {
    readonly [N in
      | 'batch'
      | 'jobs'
      | 'webhooks'
      | 'password-resets'
      | 'verifications'
      | 'invitations']?: string
  }
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/**
 * A fault in the content of a request: its JSON Pointer, the rule it breaks, and what to do.
 * @example
 * import { type ContentFault, Problem } from 'restwell/client'
 *
 * function faultsOf(error: unknown): readonly ContentFault[] {
 *   return error instanceof Problem ? (error.errors ?? []) : []
 * }
 */
export interface ContentFault {
  readonly pointer: string
  readonly rule: string
  readonly detail: string
}
