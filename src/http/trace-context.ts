/** Trace Context (https://www.w3.org/TR/trace-context/): the field `traceparent`. */

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

/** Undefined where the value is missing or not valid. A version after 00 may have further parts. */
export function parseTraceParent(value: string | undefined): TraceParent | undefined {
  if (value === undefined) return undefined
  const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})($|-)/
  const [, version, traceId = '', spanId = '', flags = '', end] = form.exec(value) ?? []
  if (version === undefined || (version === '00' && end !== '')) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function formatTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
