/** The request id of a request that belongs to a trace. */

import type { Fields } from '../http/message.ts'
import { parseTraceParent } from '../http/trace-context.ts'

/**
 * The trace id of `traceparent` in the form of a UUID, so that the logs of a trusted proxy and of the
 * service use the same id.
 */
export function requestIdFromTrace(fields: Fields): string | undefined {
  const id = parseTraceParent(fields.traceparent)?.traceId
  return id?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
