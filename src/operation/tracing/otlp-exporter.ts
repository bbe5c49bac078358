/**
 * Sends spans to a collector (OTLP over HTTP, JSON) in the background. The queue is bounded: spans
 * that do not fit are dropped and counted, so that requests never wait for the collector.
 */

import type { Agent } from 'node:http'
import type { Observer } from '../../observation.ts'
import { httpClientFor } from '../../tools/node-builtins.ts'
import type { SpanAttributes } from '../../tracer.ts'
import type { RecordedSpan } from './span-tracer.ts'

export interface ExporterOptions {
  /** The URL of the collector; spans are sent to `/v1/traces` below it. */
  readonly endpoint: string
  /** Fields of each request, such as a key of the collector. */
  readonly fields: Readonly<Record<string, string>>
  readonly resource: SpanAttributes
  readonly observe: Observer
}

/** Milliseconds. */
const sendInterval = 1000
const sendTimeout = 10_000
const closeTimeout = 2000
const maxQueued = 10_000
/** Spans of one request: formatting them blocks the process for a few milliseconds. */
const maxSent = 1000

export class OtlpExporter {
  readonly #options: ExporterOptions
  readonly #queue: RecordedSpan[] = []
  readonly #uri: URL
  readonly #agent: Agent
  readonly #timer: NodeJS.Timeout
  #dropped = 0
  #isFailing = false
  #sending: Promise<void> | undefined

  constructor(options: ExporterOptions) {
    this.#options = options
    this.#uri = new URL(options.endpoint)
    this.#uri.pathname = `${this.#uri.pathname.replace(/\/+$/, '')}/v1/traces`
    const { Agent } = httpClientFor(this.#uri)
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 })
    this.#timer = setInterval(() => void this.#sendAll(sendTimeout).catch(this.#report), sendInterval).unref()
  }

  add(span: RecordedSpan): void {
    if (this.#queue.length >= maxQueued) {
      this.#dropped += 1
      return
    }
    this.#queue.push(span)
    // After a failure the next interval is waited for; it observes the next failure.
    if (this.#queue.length >= maxSent && !this.#isFailing)
      void this.#sendAll(sendTimeout).catch(() => undefined)
  }

  /** Sends the remaining spans, if the collector takes them soon. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sending?.catch(() => undefined)
    await this.#sendAll(closeTimeout).catch(this.#report)
    this.#agent.destroy()
  }

  readonly #report = (cause: unknown) => {
    this.#options.observe({ kind: 'task-failed', task: 'traces', cause })
  }

  /** Rejects where the collector does not take the spans; they remain in the queue. */
  async #sendAll(timeout: number): Promise<void> {
    if (this.#sending) return
    this.#sending = this.#sendQueue(timeout)
    try {
      await this.#sending
      this.#isFailing = false
    } catch (error) {
      this.#isFailing = true
      throw error
    } finally {
      this.#sending = undefined
    }
  }

  async #sendQueue(timeout: number): Promise<void> {
    if (this.#dropped > 0) this.#options.observe({ kind: 'spans-dropped', count: this.#dropped })
    this.#dropped = 0
    while (this.#queue.length > 0) {
      const spans = this.#queue.slice(0, maxSent)
      const status = await this.#send(formatSpans(spans, this.#options.resource), timeout)
      // The specification has spans sent again only for these statuses.
      const isTemporary = [429, 502, 503, 504].includes(status)
      if (!isTemporary) this.#queue.splice(0, spans.length)
      if (status < 200 || status > 299) throw new Error(`The collector responded with ${status}`)
    }
  }

  #send(body: string, timeout: number): Promise<number> {
    const { fields } = this.#options
    return new Promise((resolve, reject) => {
      const request = httpClientFor(this.#uri).request(this.#uri, {
        method: 'POST',
        agent: this.#agent,
        signal: AbortSignal.timeout(timeout),
        headers: { ...fields, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      })
      request.on('error', reject)
      request.on('response', (response) => {
        response.resume()
        response.on('error', reject)
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
      request.end(body)
    })
  }
}

/**
 * The body of a request to `/v1/traces` (https://opentelemetry.io/docs/specs/otlp/). The resource describes this
 * process.
 */
function formatSpans(spans: readonly RecordedSpan[], resource: SpanAttributes): string {
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
