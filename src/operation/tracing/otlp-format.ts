/** The JSON of OTLP for traces (https://opentelemetry.io/docs/specs/otlp/). */

import type { SpanAttributes } from '../../tracer.ts'
import type { RecordedSpan } from './span-tracer.ts'

/** The body of a request to `/v1/traces`. The resource describes this process. */
export function formatSpans(spans: readonly RecordedSpan[], resource: SpanAttributes): string {
  const scopeSpans = [{ scope: { name: 'restwell' }, spans: spans.map(formatSpan) }]
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: formatAttributes(resource) }, scopeSpans }],
  })
}

const kinds = { internal: 1, server: 2, client: 3 } as const
const errorStatus = { code: 2 }

function formatSpan(span: RecordedSpan) {
  const { traceId, spanId, parentSpanId, name, kind, start, end, attributes, isError } = span
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: kinds[kind],
    startTimeUnixNano: formatTime(start),
    endTimeUnixNano: formatTime(end),
    attributes: formatAttributes(attributes),
    status: isError ? errorStatus : undefined,
  }
}

/** Nanoseconds as text, because they exceed the exact numbers of JSON. */
function formatTime(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`
}

function formatAttributes(attributes: SpanAttributes) {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } }]
  })
}
