/** Traces: the spans of requests, decisions, calls of the store, and work in the background. */

/** Names of OpenTelemetry's semantic conventions. Values are of closed sets: no ids, queries or content. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

export interface SpanDescription {
  readonly name: string
  /** By default `internal`: a part of another span in this process. */
  readonly kind?: 'server' | 'client' | 'internal'
  readonly attributes?: SpanAttributes
}

export interface Span {
  /** Adds what is known only at the end of the span. */
  describe(description: Partial<SpanDescription> & { readonly isError?: boolean }): void
}

/** Where a request belongs. */
export interface RequestOrigin {
  /** The id of the request: a trace that begins here has the same id. */
  readonly id: string
  /** The values of its fields. */
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
}

/** Work in the background, with the id of the request that caused it. */
export interface BackgroundSpan extends SpanDescription {
  readonly request: string | undefined
}

export interface Tracer {
  /** Runs the work in the first span of a request. */
  traceRequest<Result>(origin: RequestOrigin, work: (span: Span) => Promise<Result>): Promise<Result>
  /** Runs the work in a span of the trace of the request that caused it. */
  traceWork<Result>(span: BackgroundSpan, work: (span: Span) => Promise<Result>): Promise<Result>
  /** Runs the work in a span below the present one; outside of a trace without a span. */
  traceCall<Result>(span: SpanDescription, work: () => Result): Result
  /** `traceparent` and `tracestate` for requests to others; none outside of a trace. */
  readonly contextFields: Readonly<Record<string, string>>
}
