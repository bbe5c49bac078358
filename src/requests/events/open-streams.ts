/** The open event streams of this process: heartbeats, and the end of streams that would be refused now. */

import type { Credentials } from '../../access/authenticate.ts'
import { type CallerCheckContext, isUnchangedCaller } from '../../access/caller-check.ts'
import type { LiveBody } from '../../http/live-body.ts'
import type { EventStream } from './event-stream.ts'
import type { SentPosition } from './position-token.ts'
import type { Viewer } from './viewer.ts'

export interface StreamRequest {
  readonly viewer: Viewer
  /** Undefined: from now on. */
  readonly from: SentPosition | undefined
  readonly credentials: Credentials
  /** Whether the item in the URI of the stream can still be read; undefined where it names none. */
  readonly isFound: (() => Promise<boolean>) | undefined
}

/** Milliseconds between two checks of all streams: a stream ends soon after a right is withdrawn. */
const checkInterval = 1000

export class OpenStreams {
  readonly #context: CallerCheckContext
  readonly #streams = new Map<EventStream, StreamRequest>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(context: CallerCheckContext) {
    this.#context = context
  }

  /** Ends the stream at once where `close` was called before. */
  add(stream: EventStream, request: StreamRequest): void {
    this.#streams.set(stream, request)
    this.#timer ??= setInterval(() => void this.#check(), checkInterval).unref()
    if (this.#closed) stream.body.end()
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Ends all streams. */
  close(): void {
    this.#closed = true
    for (const { body } of [...this.#streams.keys()]) body.end()
  }

  async #check(): Promise<void> {
    for (const stream of this.#streams.keys()) stream.sendHeartbeat()
    await endRefused(this.#context, this.#streams)
  }
}

/** Ends the streams whose caller or item has changed so that a request for them would be refused. */
async function endRefused(
  context: CallerCheckContext,
  streams: ReadonlyMap<EventStream, StreamRequest>,
): Promise<void> {
  await Promise.all([
    endWithdrawn(context, streams),
    ...[...streams]
      .filter(([, { isFound }]) => isFound)
      .map(([{ body }, request]) => endWithoutItem(body, request)),
  ])
}

/** Ends a stream whose URI is 404 now, after the event that says why. */
async function endWithoutItem(body: LiveBody, { isFound }: StreamRequest): Promise<void> {
  try {
    if (isFound && !(await isFound())) body.end()
  } catch {
    // The store is not available now.
  }
}

/** Ends the streams of callers who have lost or got rights, or whose credentials are not valid any more. */
async function endWithdrawn(
  context: CallerCheckContext,
  streams: ReadonlyMap<EventStream, StreamRequest>,
): Promise<void> {
  const groups = Map.groupBy(streams, ([{ viewer }]) => viewer.caller)
  await Promise.all(
    [...groups].map(async ([caller, group]) => {
      const [, { credentials }] = group[0] as (typeof group)[number]
      try {
        if (await isUnchangedCaller(context, credentials, caller)) return
      } catch {
        // Whether the caller has changed is not known now. Nothing is delivered without the store.
        return
      }
      for (const [{ body }] of group) body.discard()
    }),
  )
}
