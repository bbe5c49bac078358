/** The changes of a list as the client follows them, and a list that stays current. */

import { type Exchange, Problem } from './exchange.ts'
import type { Change, Watch } from './types.ts'

/** Where changes begin. */
interface Start {
  readonly uri: string
  /** The id of the last change before; undefined: the URI says where, or they begin now. */
  readonly after?: string | undefined
  readonly signal?: AbortSignal
}

/** Connects again whenever the stream ends or the service is busy, and continues after the last event. */
export async function* followChanges(
  exchange: Exchange,
  { uri, after = '', signal }: Start,
): AsyncGenerator<Change<never>> {
  for (let [id, wait] = [after, 1000]; ; ) {
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' }
      if (id !== '') headers['last-event-id'] = id
      const { body } = await exchange(uri, { headers, ...(signal && { signal }) })
      for await (const event of readEvents(body as ReadableStream, signal)) {
        id = event.id ?? id
        wait = Number(event.retry ?? wait)
        if (event.data) yield { id, ...JSON.parse(event.data) }
      }
    } catch (error) {
      if (!signal?.aborted && !isPassing(error)) throw error
    }
    if (signal?.aborted) return
    await pause(wait)
  }
}

/** Whether a later attempt may succeed: a connection that fails or breaks is a TypeError. */
function isPassing(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Problem && [429, 503].includes(error.status))
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Yields the fields of each event (HTML Living Standard §9.2). The service sends one line for each field. */
async function* readEvents(
  body: ReadableStream,
  signal: AbortSignal | undefined,
): AsyncGenerator<Record<string, string | undefined>> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  // A `fetch` of the options may know no signals, and a stream that broke cannot be cancelled.
  const end = () => reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', end)
  try {
    for (let rest = ''; ; ) {
      const { done, value = '' } = await reader.read()
      if (done) return
      const events = (rest + value).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        yield Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/s, 2)))
      }
    }
  } finally {
    signal?.removeEventListener('abort', end)
    await end()
  }
}

/** A list as it was read, and the URI of its changes from then on. */
export interface ReadList<Item> {
  readonly items: readonly Item[]
  readonly changes: string
}

/** Milliseconds in which changes are collected before the list is read again. */
const collecting = 100

/**
 * A list that stays current. After changes it is read again, so order, limit and rights are those of the service. It is
 * followed while it has a subscriber.
 */
export function watchList<Item>(exchange: Exchange, read: () => Promise<ReadList<Item>>): Watch<Item> {
  const listeners = new Set<() => void>()
  let items: readonly Item[] | undefined
  let failure: { readonly cause: unknown } | undefined
  let following: AbortController | undefined

  const tell = () => {
    for (const listener of listeners) listener()
  }
  const fail = (by: AbortController, cause: unknown) => {
    if (by !== following || failure) return
    by.abort()
    failure = { cause }
    tell()
  }
  const readAgain = async (by: AbortController) => {
    for (let wait = 1000; ; wait = Math.min(wait * 2, 30_000)) {
      try {
        const list = await read()
        if (by !== following) return list
        items = list.items
        tell()
        return list
      } catch (error) {
        if (by !== following || !isPassing(error)) throw error
      }
      await pause(wait)
    }
  }
  const follow = async (by: AbortController) => {
    const { changes: uri } = await readAgain(by)
    let isStale = false
    let isReading = false
    const catchUp = async () => {
      while (isStale) {
        await pause(collecting)
        isStale = false
        await readAgain(by)
      }
      isReading = false
    }
    const refresh = () => {
      isStale = true
      if (isReading) return
      isReading = true
      catchUp().catch((error: unknown) => fail(by, error))
    }
    for await (const _ of followChanges(exchange, { uri, signal: by.signal })) refresh()
  }
  const subscribe = (listener: () => void) => {
    // A function may subscribe twice.
    const own = () => listener()
    listeners.add(own)
    if (!following) {
      failure = undefined
      const by = new AbortController()
      following = by
      follow(by).catch((error: unknown) => fail(by, error))
    }
    return () => {
      listeners.delete(own)
      if (listeners.size > 0) return
      following?.abort()
      following = undefined
    }
  }
  const snapshot = () => {
    if (failure) throw failure.cause
    return items
  }
  return {
    subscribe,
    snapshot,
    async *[Symbol.asyncIterator]() {
      let wake = () => {}
      const leave = subscribe(() => wake())
      try {
        for (let shown: readonly Item[] | undefined; ; ) {
          const list = snapshot()
          if (list && list !== shown) {
            shown = list
            yield list
          } else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        leave()
      }
    },
  }
}
