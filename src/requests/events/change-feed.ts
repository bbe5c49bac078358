/**
 * The change feed of the service: pages and streams of what callers may see of the change log. The log
 * stores an entry; what a caller sees of it is a change; a change as it is sent is an event.
 */

import type { CallerCheckContext } from '../../access/caller-check.ts'
import { callerKey } from '../../access/principal.ts'
import type { Rights } from '../../access/rights.ts'
import type { JsonValue } from '../../definition/model.ts'
import type { LiveBody } from '../../http/live-body.ts'
import { createStreamLimit, type StreamLimits } from '../../limits/stream-limit.ts'
import type { Observer } from '../../observation.ts'
import { refuse } from '../../refusal.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import { type ChangePage, isKept, readChangePage, resetPage } from './change-reader.ts'
import { eventObject } from './event-object.ts'
import { EventStream, type StreamContext } from './event-stream.ts'
import { type HistoryPage, type HistoryRequest, readHistoryPage } from './item-history.ts'
import { LogFollower } from './log-follower.ts'
import { OpenStreams, type StreamRequest } from './open-streams.ts'
import { createPositionCodec, type FeedPosition, type SentPosition } from './position-token.ts'
import { createReadingTurns } from './reading-turns.ts'
import { createVersionCodec, type VersionCodec } from './version-token.ts'
import type { Viewer } from './viewer.ts'
import type { VisibleChange } from './visible-change.ts'

export interface ChangeFeed {
  readonly versions: VersionCodec
  /** The token of a position, for a reader with these rights. */
  formatPosition(position: FeedPosition, rights?: readonly Rights[]): string
  /** The position of a token; refuses 400. */
  parsePosition(token: string): SentPosition
  /** The visible changes after a position, or from the oldest entry on. */
  readPage(viewer: Viewer, page: FeedPageRequest): Promise<ChangePage>
  /** The versions of an item that a viewer sees. */
  readHistory(request: HistoryRequest): Promise<HistoryPage>
  /** The change as JSON. */
  eventObject(change: VisibleChange): Readonly<Record<string, JsonValue>>
  /** The body of a stream; refuses 429 and 503 where the caller or the process has too many. */
  open(request: StreamRequest): Promise<LiveBody>
  /** To be called after a write in this process, so that streams show it at once. */
  wake(): void
  /** Ends all streams. */
  close(): void
}

export interface FeedPageRequest {
  /** Undefined: from the oldest entry on. */
  readonly from: SentPosition | undefined
  readonly limit: number
}

export interface ChangeFeedOptions extends CallerCheckContext {
  readonly observe: Observer
  readonly now: () => number
  readonly limits?: StreamLimits | undefined
}

export const defaultEventStreamLimits: StreamLimits = Object.freeze({ perCaller: 100, perProcess: 20_000 })

/** Entries that one page reads at most. */
const maxPageEntries = 10_000

/** Milliseconds between two questions for new entries. */
const pollInterval = 100

export async function createChangeFeed(options: ChangeFeedOptions): Promise<ChangeFeed> {
  const { model, store, observe, now } = options
  const source = { model, store, schema: schemaOf(model), readInTurn: createReadingTurns() }
  const positions = createPositionCodec(await store.loadSecret('positions'))
  const versions = createVersionCodec(await store.loadSecret('versions'))
  const follower = new LogFollower({ ...source, observe, interval: pollInterval })
  const limit = createStreamLimit(options.limits ?? defaultEventStreamLimits)
  const streams = new OpenStreams(options)
  const formatted = (change: VisibleChange) => eventObject(model, versions, change)
  const context: StreamContext = {
    ...source,
    follower,
    now,
    observe,
    formatPosition: positions.format,
    formatData: (change) => JSON.stringify(formatted(change)),
  }

  return {
    versions,
    formatPosition: positions.format,
    parsePosition(token) {
      const position = positions.parse(token)
      if (position) return position
      throw refuse('invalid-cursor', {
        detail: 'The event id is not one of this service. Start again without it.',
      })
    },
    async readPage(viewer, { from, limit: most }) {
      if (from && !(positions.isFor(from, viewer.rights) && (await isKept(source, from)))) {
        return resetPage(source)
      }
      const start = from ?? { position: (await store.logExtent()).first - 1, changesRead: 0 }
      return readChangePage(source, { viewer, from: start, limit: most, maxEntries: maxPageEntries })
    },
    readHistory: (request) => readHistoryPage(source, request),
    eventObject: formatted,
    async open(request) {
      const { viewer, from, credentials } = request
      const leave = limit.enter(callerKey(viewer.caller, credentials.client.address))
      try {
        const isReset = from !== undefined && !positions.isFor(from, viewer.rights)
        const start =
          from && !isReset ? from : { position: (await store.lastPosition()) ?? 0, changesRead: 0 }
        const stream = new EventStream(context, viewer, start, () => {
          streams.delete(stream)
          leave()
        })
        streams.add(stream, request)
        if (isReset) stream.reset(start.position)
        void stream.start()
        return stream.body
      } catch (error) {
        leave()
        throw error
      }
    },
    wake: () => follower.wake(),
    close: () => streams.close(),
  }
}
