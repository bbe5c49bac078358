/**
 * Sends a webhook request. The connection is made only to addresses that webhooks may reach: the
 * check is part of the resolution that the connection uses, so another answer of the name server later
 * changes nothing.
 */

import { type LookupAddress, lookup as resolveHost } from 'node:dns'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { type Networks, parseIpAddress } from '../../http/ip-network.ts'
import { isGloballyReachable } from '../../http/reachable-address.ts'
import { httpClientFor } from '../../tools/node-builtins.ts'

export interface WebhookRequest {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly body: string
}

export type SendResult =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfter: string | undefined }
  /** There was no response; the reason is for the owner of the webhook. */
  | { readonly kind: 'error'; readonly reason: string }

export interface SendOptions {
  /** Networks that are reachable although they are not global. */
  readonly networks: Networks
  /** Milliseconds from the beginning to the status of the response. */
  readonly timeout: number
  /** Resolves the names of hosts; the resolver of the system by default. */
  readonly resolve?: ResolveHost
}

/** The addresses of a host; rejects where it has none. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>

/** Never rejects, except when the signal ends it. Redirects are not followed. */
export async function sendWebhookRequest(
  message: WebhookRequest,
  options: SendOptions,
  signal: AbortSignal,
): Promise<SendResult> {
  const timeout = AbortSignal.timeout(options.timeout)
  try {
    const response = await exchange(message, options, AbortSignal.any([signal, timeout]))
    // The content is not needed, and may be endless.
    response.destroy()
    const { statusCode = 0, headers } = response
    return { kind: 'response', status: statusCode, retryAfter: headers['retry-after'] }
  } catch (error) {
    if (signal.aborted) throw error
    if (timeout.aborted) return failure(`No response within ${options.timeout / 1000} seconds.`)
    return failure(error instanceof UnreachableHost ? error.message : connectionFailure(error))
  }
}

function failure(reason: string): SendResult {
  return { kind: 'error', reason }
}

function connectionFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return `The connection failed (${code}).`
}

/** The same for hosts without an address, so that names of internal hosts cannot be guessed. */
class UnreachableHost extends Error {
  constructor() {
    super('The host has no public address.')
  }
}

function exchange(
  { url, fields, body }: WebhookRequest,
  options: SendOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const target = new URL(url)
  const isAllowed = (address: string) => isReachable(address, options.networks)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  // Node resolves no name for a literal address.
  if (isIP(host) !== 0 && !isAllowed(host)) return Promise.reject(new UnreachableHost())
  const content = Buffer.from(body)
  return new Promise((resolve, reject) => {
    const request = httpClientFor(target).request(target, {
      method: 'POST',
      agent: false,
      signal,
      lookup: createLookup(options.resolve ?? resolveAll, isAllowed),
      headers: {
        ...fields,
        'content-type': 'application/json',
        'content-length': content.length,
        'user-agent': 'Restwell-Webhooks',
      },
    })
    requireReachablePeer(request, isAllowed)
    request.on('error', reject)
    request.on('response', resolve)
    request.end(content)
  })
}

/** Ends a connection to another address than the resolved ones, which a proxy of the process could make. */
function requireReachablePeer(request: ClientRequest, isAllowed: (address: string) => boolean): void {
  request.on('socket', (socket) => {
    socket.once('connect', () => {
      if (!isAllowed(socket.remoteAddress ?? '')) request.destroy(new UnreachableHost())
    })
  })
}

/** Whether webhooks may connect to the address. */
export function isReachable(address: string, networks: Networks): boolean {
  return isGloballyReachable(address) || networks.has(parseIpAddress(address) ?? '')
}

/** A resolver that knows only the addresses that are allowed. */
function createLookup(resolve: ResolveHost, isAllowed: (address: string) => boolean): LookupFunction {
  return (host, { all, family }, callback) => {
    resolve(host).then(
      (addresses) => {
        const allowed = addresses.filter((one) => isAllowed(one.address))
        const wanted = allowed.filter(
          (one) => !family || `IPv${one.family}` === family || one.family === family,
        )
        const [first] = wanted
        if (!first) callback(new UnreachableHost(), '')
        else if (all) callback(null, wanted)
        else callback(null, first.address, first.family)
      },
      () => callback(new UnreachableHost(), ''),
    )
  }
}

function resolveAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    resolveHost(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
}
