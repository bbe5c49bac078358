/** The trace context of a request (https://www.w3.org/TR/trace-context/). */

import type { Fields } from '../http/message.ts'

/**
 * The trace id of `traceparent` (https://www.w3.org/TR/trace-context/) in the form of a UUID, so that
 * the logs of a trusted proxy and of the service use the same id.
 */
export function requestIdFromTrace(fields: Fields): string | undefined {
  if (fields.traceparent === undefined) return undefined
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/.exec(fields.traceparent)
  const id = match?.[1]
  if (id === undefined || /^0+$/.test(id) || fields.traceparent.startsWith('ff')) return undefined
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
