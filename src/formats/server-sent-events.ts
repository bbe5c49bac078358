/** text/event-stream: server-sent events (HTML Living Standard §9.2). */

import type { Format } from './format.ts'

/** A format of change feeds only: their responses are written by `requests/events/`, event by event. */
export const eventStream: Format = {
  name: 'event-stream',
  mediaType: 'text/event-stream',
  viewKinds: new Set(),
  // Positions differ in each response.
  hasValidators: false,
}

export interface ServerSentEvent {
  /** The value of Last-Event-ID to resume after the event. */
  readonly id: string
  /** Undefined for an event that only sets the id: clients do not see it. */
  readonly event?: string
  /** One line. */
  readonly data?: string
  /** Milliseconds to wait before connecting again. */
  readonly retry?: number
}

/** The event as lines, with the empty line that ends it. */
export function formatServerSentEvent({ id, event, data, retry }: ServerSentEvent): string {
  const lines = [
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    `id: ${id}`,
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${data}`]),
  ]
  return `${lines.join('\n')}\n\n`
}
