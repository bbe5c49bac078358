/** Follows the changes of a collection as server-sent events. Part of the client, which is one module. */

import type { Change } from './change.ts'

type Connect = (uri: string, sending: { readonly headers: Record<string, string> }) => Promise<Response>

/** Connects again whenever the stream ends or the service is busy, and continues after the last event. */
export async function* followChanges(
  connect: Connect,
  uri: string,
  after: string | undefined,
): AsyncGenerator<Change<never>> {
  for (let [id, wait] = [after ?? '', 1000]; ; ) {
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' }
      if (id !== '') headers['last-event-id'] = id
      const { body } = await connect(uri, { headers })
      for await (const event of readEvents(body as ReadableStream)) {
        id = event.id ?? id
        wait = Number(event.retry ?? wait)
        if (event.data) yield { id, ...JSON.parse(event.data) }
      }
    } catch (error) {
      const isBusy = [429, 503].includes((error as { readonly status?: number }).status ?? 0)
      // A connection that fails or breaks is a TypeError.
      if (!isBusy && !(error instanceof TypeError)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/** Yields the fields of each event (HTML Living Standard §9.2). The service sends one line for each field. */
async function* readEvents(body: ReadableStream): AsyncGenerator<Record<string, string | undefined>> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
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
    // A stream that broke cannot be cancelled.
    await reader.cancel().catch(() => undefined)
  }
}
