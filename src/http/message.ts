/**
 * HTTP messages as the service sees them: plain data, free of sockets. The socket side (serve/)
 * makes a request and writes a response; everything between is a function from one to the other.
 */

export interface HttpRequest {
  /** Our name for this request; every response and log line carries it. */
  readonly id: string
  readonly method: string
  /** The request-target in origin-form, as received and still encoded; or `*`. */
  readonly target: string
  /** Lower-case field names to combined field values (RFC 9110 §5.3); inherits none. */
  readonly fields: Fields
  readonly content: Content
  readonly peer: Peer
}

export type Fields = Readonly<Record<string, string | undefined>>

export interface Peer {
  readonly address: string
  /** Whether the client's own connection is TLS. */
  readonly secure: boolean
  /** The host that the client asked for, where a trusted proxy says that Host is another. */
  readonly host?: string
}

/** The content of a request. Nothing is read, and no 100 is sent, before `read` is called. */
export interface Content {
  /** Whether the message has content at all: Content-Length above 0, or chunked. */
  readonly present: boolean
  /** What Content-Length says; undefined where the length is known only at the end. */
  readonly length: number | undefined
  /** All octets; refuses with content-too-large past the limit. Call it once at most. */
  read(limit: number): Promise<Uint8Array>
}

export interface HttpResponse {
  readonly status: number
  readonly fields: ResponseFields
  readonly body?: Body
}

/** Known at once, or made while it is sent: then nothing more is pulled than the client reads. */
export type Body = string | Uint8Array | AsyncIterable<string | Uint8Array>

/** Field names in the case the RFCs print them; several lines of one field as an array. */
export type ResponseFields = Record<string, string | readonly string[]>

export const noFields: Readonly<ResponseFields> = Object.freeze({})

export type Handler = (request: HttpRequest) => Promise<HttpResponse>
