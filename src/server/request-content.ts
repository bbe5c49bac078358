/** The content of a request, read from the socket on demand. */

import type { IncomingMessage } from 'node:http'
import type { Content, Fields } from '../http/message.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { requireContentDigest } from './content-digest.ts'

/** Content that may not have arrived completely. */
export interface PendingContent extends Content {
  /** Octets still to arrive; undefined when the length is unknown. */
  readonly remaining: number | undefined
  /** Whether it is streamed; then its speed is limited instead of the time that it takes. */
  readonly isStreamed: boolean
  /** Makes the present or a later read refuse with this refusal. */
  fail(refusal: Refusal): void
}

export class IncomingContent implements PendingContent {
  readonly present: boolean
  readonly length: number | undefined
  readonly #incoming: IncomingMessage
  readonly #onFirstRead: () => void
  /** The value of Content-Digest. */
  readonly #digest: string | undefined
  readonly inform?: NonNullable<Content['inform']>
  isStreamed = false
  #wanted = false
  #received = 0
  #failure: Refusal | undefined
  #refuseRead: (refusal: Refusal) => void = () => {}

  /** Calls `onFirstRead` once, when content that exists is first read. */
  constructor(
    incoming: IncomingMessage,
    fields: Fields,
    onFirstRead: () => void,
    inform?: NonNullable<Content['inform']>,
  ) {
    const chunked = fields['transfer-encoding'] !== undefined
    this.length = chunked ? undefined : Number(fields['content-length'] ?? 0)
    this.present = this.length !== 0
    this.#incoming = incoming
    this.#onFirstRead = onFirstRead
    this.#digest = fields['content-digest']
    if (inform) this.inform = inform
  }

  get remaining(): number | undefined {
    if (this.#incoming.complete) return 0
    return this.length === undefined ? undefined : this.length - this.#received
  }

  async read(limit: number): Promise<Uint8Array> {
    this.#begin(limit)
    const octets = this.present ? await this.#receive(limit) : noOctets
    requireContentDigest(this.#digest, octets)
    return octets
  }

  async #receive(limit: number): Promise<Uint8Array> {
    // Most content arrives in the packet of its header section.
    if (this.#incoming.complete) return this.#take(limit)
    if (this.#incoming.destroyed) throw incomplete(undefined)
    return this.#collect(limit)
  }

  async *stream(limit: number): AsyncGenerator<Uint8Array> {
    this.#begin(limit)
    this.isStreamed = true
    const incoming = this.#incoming
    const began = performance.now()
    while (this.present) {
      // It may have failed while the reader was busy with the last part.
      if (this.#failure !== undefined) throw this.#failure
      const part: Uint8Array | null = incoming.read()
      if (part !== null) {
        this.#received += part.length
        if (this.#received > limit) throw tooLarge(limit)
        yield part
      } else if (incoming.readableEnded) break
      else {
        if (incoming.destroyed) throw incomplete(undefined)
        requireSpeed(this.#received, performance.now() - began)
        await this.#nextPart()
      }
    }
    if (this.#received < (this.length ?? 0)) throw incomplete(undefined)
  }

  #begin(limit: number): void {
    if (this.#wanted) throw new Error('The content of a request can be read only once.')
    this.#wanted = true
    if (this.#failure !== undefined) throw this.#failure
    if (this.length !== undefined && this.length > limit) throw tooLarge(limit)
    if (this.present) this.#onFirstRead()
  }

  /** Resolves when there is something to read, or the content has ended. */
  #nextPart(): Promise<void> {
    const incoming = this.#incoming
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onError = (cause: unknown) => reject(this.#failure ?? incomplete(cause))
    const onClose = () => (incoming.readableEnded ? resolve() : onError(undefined))
    this.#refuseRead = reject
    incoming.once('readable', resolve).once('end', resolve).once('error', onError).once('close', onClose)
    return promise.finally(() => {
      this.#refuseRead = () => {}
      incoming.off('readable', resolve).off('end', resolve).off('error', onError).off('close', onClose)
    })
  }

  /** Takes content that has arrived completely. */
  #take(limit: number): Uint8Array {
    const incoming = this.#incoming
    const parts: Uint8Array[] = []
    for (let part = incoming.read(); part !== null; part = incoming.read()) parts.push(part)
    const octets = joinParts(parts)
    if (octets.length > limit) throw tooLarge(limit)
    if (octets.length < (this.length ?? 0)) throw incomplete(undefined)
    return octets
  }

  fail(refusal: Refusal): void {
    this.#failure ??= refusal
    this.#refuseRead(refusal)
  }

  #collect(limit: number): Promise<Uint8Array> {
    const incoming = this.#incoming
    const parts: Uint8Array[] = []
    return new Promise((resolve, reject) => {
      const onData = (part: Uint8Array) => {
        this.#received += part.length
        // RFC 9112 §7.1: the length of chunked content is unknown in advance.
        if (this.#received > limit) this.#refuseRead(tooLarge(limit))
        else parts.push(part)
      }
      this.#refuseRead = (refusal) => {
        incoming.off('data', onData)
        reject(refusal)
      }
      incoming.on('data', onData)
      // The program that mounted the listener may have paused the request.
      incoming.resume()
      incoming.on('end', () => resolve(joinParts(parts)))
      incoming.on('error', (cause) => this.#refuseRead(incomplete(cause)))
      incoming.on('close', () => {
        if (!incoming.complete) this.#refuseRead(incomplete(undefined))
      })
    })
  }
}

const noOctets = new Uint8Array(0)

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** The content of every request without content. */
export const noContent: PendingContent = Object.freeze({
  present: false,
  length: 0,
  remaining: 0,
  isStreamed: false,
  read: async () => noOctets,
  stream: async function* () {},
  fail: () => {},
})

/** RFC 9112 §6.3: without either field a request has no content. */
export function declaresContent(fields: Fields): boolean {
  return fields['content-length'] !== undefined || fields['transfer-encoding'] !== undefined
}

/** Octets per second that an upload must have on average, and milliseconds before it must. */
const leastRate = 1024
const rateGrace = 30_000

function requireSpeed(octets: number, milliseconds: number): void {
  if (milliseconds < rateGrace || octets >= (milliseconds / 1000) * leastRate) return
  throw refuse('request-timeout', { detail: `Send at least ${leastRate} octets per second.` })
}

function tooLarge(limit: number): Refusal {
  return refuse('content-too-large', { detail: `The content may have at most ${limit} octets.` })
}

function incomplete(cause: unknown): Refusal {
  return refuse('malformed-request', {
    detail: 'The content is shorter than its declared length.',
    cause,
  })
}
