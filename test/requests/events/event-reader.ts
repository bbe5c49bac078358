/** A client of text/event-stream for tests: events in order, heartbeats apart. */

import { request as httpRequest, type IncomingMessage } from 'node:http'

export interface ReceivedEvent {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of every shape
  readonly data: any
}

export interface EventReader extends AsyncDisposable {
  readonly status: number
  readonly fields: IncomingMessage['headers']
  /** The body of a response that is no stream. */
  readonly text: () => Promise<string>
  /** The next event with data; undefined when the stream has ended. */
  next(): Promise<ReceivedEvent | undefined>
  /** The next so many events. */
  take(count: number): Promise<readonly ReceivedEvent[]>
  /** The id that a client would send as Last-Event-ID now. */
  lastId(): string
  /** Resolves with the id when there is one; rejects where the stream ends without. */
  firstId(): Promise<string>
  /** Resolves when the next heartbeat arrives, or the stream ends. */
  heartbeat(): Promise<void>
  /** Resolves when the stream has ended, whether by the service or the connection. */
  readonly ended: Promise<void>
  readonly retry: () => number | undefined
  /** Stops reading from the connection, and starts again. */
  pause(): void
  resume(): void
  close(): void
}

export interface FollowOptions {
  /** The content of a QUERY; undefined: a GET. */
  readonly condition?: object
  /** The address of the client. */
  readonly localAddress?: string
}

/** Connects; resolves when the header section has arrived. */
export function follow(
  port: number,
  path: string,
  fields: Readonly<Record<string, string>> = {},
  { condition, ...connection }: FollowOptions = {},
): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const content = condition && JSON.stringify(condition)
    const method = content === undefined ? 'GET' : 'QUERY'
    const type = content === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { accept: 'text/event-stream', ...type, ...fields }
    const outgoing = httpRequest(
      { port, host: '127.0.0.1', method, path, headers, agent: false, ...connection },
      (incoming) => {
        resolve(readerOf(incoming, () => outgoing.destroy()))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(content)
  })
}

function readerOf(incoming: IncomingMessage, close: () => void): EventReader {
  const events: ReceivedEvent[] = []
  const waiting: (() => void)[] = []
  const beats: (() => void)[] = []
  const ended = Promise.withResolvers<void>()
  let [rest, body, id, isOver] = ['', '', '', false]
  let retry: number | undefined
  const wakeAll = (some: (() => void)[]) => {
    for (const wake of some.splice(0)) wake()
  }
  const receive = (frame: string) => {
    const lines = new Map(frame.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
    id = lines.get('id') ?? id
    if (lines.has('retry')) retry = Number(lines.get('retry'))
    const data = lines.get('data')
    if (data === undefined) return wakeAll(beats)
    events.push({ id, event: lines.get('event') ?? 'message', data: JSON.parse(data) })
    wakeAll(waiting)
  }
  incoming.setEncoding('utf8')
  incoming.on('data', (part: string) => {
    body += part
    const frames = (rest + part).split('\n\n')
    rest = frames.pop() ?? ''
    if (incoming.headers['content-type'] === 'text/event-stream') for (const frame of frames) receive(frame)
  })
  incoming.on('error', () => undefined)
  incoming.on('close', () => {
    isOver = true
    wakeAll(waiting)
    wakeAll(beats)
    ended.resolve()
  })
  const next = async (): Promise<ReceivedEvent | undefined> => {
    while (events.length === 0 && !isOver) await new Promise<void>((wake) => waiting.push(wake))
    return events.shift()
  }
  const heartbeat = () => new Promise<void>((wake) => (isOver ? wake() : beats.push(wake)))
  return {
    status: incoming.statusCode ?? 0,
    fields: incoming.headers,
    text: async () => {
      await ended.promise
      return body
    },
    next,
    async take(count) {
      const taken: ReceivedEvent[] = []
      while (taken.length < count) {
        const event = await next()
        if (!event) throw new Error(`The stream ended after ${taken.length} of ${count} events`)
        taken.push(event)
      }
      return taken
    },
    lastId: () => id,
    async firstId() {
      while (id === '') {
        if (isOver) throw new Error('The stream ended before it had an id')
        await heartbeat()
      }
      return id
    },
    heartbeat,
    ended: ended.promise,
    retry: () => retry,
    pause: () => incoming.pause(),
    resume: () => incoming.resume(),
    close,
    async [Symbol.asyncDispose]() {
      close()
      await ended.promise
    },
  }
}
