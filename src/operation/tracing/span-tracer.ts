/** Records spans and gives them to an exporter. The present span is known to all code that it calls. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  formatTraceParent,
  parseTraceParent,
  parseTraceState,
  type TraceParent,
} from '../../http/trace-context.ts'
import { Refusal } from '../../refusal.ts'
import type {
  BackgroundSpan,
  RequestOrigin,
  Span,
  SpanAttributes,
  SpanDescription,
  Tracer,
} from '../../tracer.ts'

/** A span as it is exported. */
export interface RecordedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: NonNullable<SpanDescription['kind']>
  /** Milliseconds since 1970 UTC, with fractions. */
  readonly start: number
  readonly end: number
  readonly attributes: SpanAttributes
  readonly isError: boolean
}

export interface TracerOptions {
  /** The share of the traces that begin here, from 0 to 1. */
  readonly ratio: number
  /** Whether a trace that began elsewhere is recorded as its `traceparent` says. */
  readonly followsParent: boolean
  record(span: RecordedSpan): void
}

/** A span as requests to others name it. */
interface TraceContext extends TraceParent {
  /** The `tracestate` of the request that the trace came with. */
  readonly state: string | undefined
}

/** Requests whose spans are remembered for the work that follows them. */
const maxRemembered = 10_000

export class SpanTracer implements Tracer {
  readonly #options: TracerOptions
  readonly #present = new AsyncLocalStorage<TraceContext>()
  /** The spans of requests by request id, oldest first. */
  readonly #requests = new Map<string, TraceContext>()
  readonly #onFetch = (message: unknown) => addFields(message, this.contextFields)

  constructor(options: TracerOptions) {
    this.#options = options
    subscribe(fetchChannel, this.#onFetch)
  }

  traceRequest<Result>(request: RequestOrigin, work: (span: Span) => Promise<Result>) {
    const { id } = request
    const origin = this.#findOrigin(id, parseContext(request))
    return this.#run(origin, { name: 'request', kind: 'server' }, (span) => {
      this.#remember(id)
      return work(span)
    })
  }

  traceWork<Result>({ request = '', ...span }: BackgroundSpan, work: (span: Span) => Promise<Result>) {
    const parent = this.#requests.get(request)
    return this.#run(parent ? below(parent) : this.#findOrigin(request, undefined), span, work)
  }

  traceCall<Result>(span: SpanDescription, work: () => Result): Result {
    const parent = this.#present.getStore()
    return parent?.isSampled ? this.#run(below(parent), span, work) : work()
  }

  get contextFields(): Readonly<Record<string, string>> {
    const span = this.#present.getStore()
    if (!span) return {}
    return { traceparent: formatTraceParent(span), ...(span.state && { tracestate: span.state }) }
  }

  /** Stops adding the fields to the requests of `fetch`. */
  close(): void {
    unsubscribe(fetchChannel, this.#onFetch)
  }

  #findOrigin(id: string, parent: TraceContext | undefined): SpanOrigin {
    const { ratio, followsParent } = this.#options
    const traceId = parent?.traceId ?? traceIdOf(id)
    const isChosen = Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32
    const isSampled = parent && followsParent ? parent.isSampled : isChosen
    return { traceId, parentSpanId: parent?.spanId, isSampled, state: parent?.state }
  }

  #remember(id: string): void {
    const span = this.#present.getStore()
    if (!span) return
    this.#requests.set(id, span)
    const [oldest] = this.#requests.keys()
    if (this.#requests.size > maxRemembered && oldest !== undefined) this.#requests.delete(oldest)
  }

  #run<Result>(origin: SpanOrigin, description: SpanDescription, work: (span: Span) => Result): Result {
    const { traceId, isSampled, state } = origin
    const own: TraceContext = { traceId, spanId: createSpanId(), isSampled, state }
    if (!isSampled) return this.#present.run(own, () => work(ignoredSpan))
    const open = new OpenSpan(own, origin, description)
    const end = (fault: SpanFault) => this.#options.record(open.end(fault))
    return this.#present.run(own, () => callUntilEnd(() => work(open), end))
  }
}

/** A span that has begun. */
class OpenSpan implements Span {
  readonly #start = timestamp()
  readonly #own: TraceParent
  readonly #origin: SpanOrigin
  #known: Required<SpanDescription> & { readonly isError: boolean }

  constructor(own: TraceParent, origin: SpanOrigin, description: SpanDescription) {
    this.#own = own
    this.#origin = origin
    this.#known = { kind: 'internal', attributes: {}, isError: false, ...description }
  }

  describe(more: Parameters<Span['describe']>[0]): void {
    this.#known = { ...this.#known, ...more, attributes: { ...this.#known.attributes, ...more.attributes } }
  }

  end({ isError, attributes }: SpanFault): RecordedSpan {
    const { traceId, spanId } = this.#own
    const { name, kind } = this.#known
    return {
      traceId,
      spanId,
      parentSpanId: this.#origin.parentSpanId,
      name,
      kind,
      start: this.#start,
      end: timestamp(),
      attributes: { ...this.#known.attributes, ...attributes },
      isError: this.#known.isError || isError,
    }
  }
}

function timestamp(): number {
  return performance.timeOrigin + performance.now()
}

/** Where a span belongs. */
interface SpanOrigin {
  readonly traceId: string
  readonly parentSpanId: string | undefined
  readonly isSampled: boolean
  readonly state: string | undefined
}

function below({ spanId, ...context }: TraceContext): SpanOrigin {
  return { ...context, parentSpanId: spanId }
}

/** §4.3: without a valid `traceparent`, `tracestate` is ignored. */
function parseContext({ traceparent, tracestate }: RequestOrigin): TraceContext | undefined {
  const parent = parseTraceParent(traceparent)
  return parent && { ...parent, state: parseTraceState(tracestate) }
}

const ignoredSpan: Span = { describe: () => undefined }

interface SpanFault {
  readonly isError: boolean
  readonly attributes?: SpanAttributes
}

/** Calls the function and ends the span when its result is there. */
function callUntilEnd<Result>(work: () => Result, end: (fault: SpanFault) => void): Result {
  const fail = (error: unknown): never => {
    end(faultOf(error))
    throw error
  }
  try {
    const result = work()
    if (!(result instanceof Promise)) {
      end({ isError: false })
      return result
    }
    const settled = result.then((value) => {
      end({ isError: false })
      return value
    }, fail)
    // A promise of the same value.
    return settled as Result
  } catch (error) {
    return fail(error)
  }
}

/**
 * Messages of errors may contain data, so only the type of an error is recorded. Other values that are
 * thrown, such as early responses, are no errors.
 */
function faultOf(thrown: unknown): SpanFault {
  if (thrown instanceof Refusal) {
    return { isError: thrown.status >= 500, attributes: { 'error.type': thrown.type } }
  }
  if (!(thrown instanceof Error)) return { isError: false }
  return { isError: true, attributes: { 'error.type': thrown.name } }
}

/** A request id is a UUID; its digits are the trace id. Other ids get a random one. */
function traceIdOf(id: string): string {
  const digits = id.replaceAll('-', '').toLowerCase()
  return /^(?!0{32})[0-9a-f]{32}$/.test(digits) ? digits : createSpanId() + createSpanId()
}

/** 16 hexadecimal digits. It must be unique, and may be guessed. */
function createSpanId(): string {
  const half = () =>
    Math.floor(Math.random() * 0xff_ff_ff_ff)
      .toString(16)
      .padStart(8, '0')
  return `${half().slice(0, 7)}1${half()}`
}

/** Node's `fetch` publishes each request here before it is sent. */
const fetchChannel = 'undici:request:create'

function addFields(message: unknown, fields: Readonly<Record<string, string>>): void {
  const { request } = message as { request: { addHeader(name: string, value: string): void } }
  for (const [name, value] of Object.entries(fields)) request.addHeader(name, value)
}
