/**
 * HTTP messages as plain data, without sockets. `server/` creates requests and writes responses;
 * all code between is a function from request to response.
 */

export interface HttpRequest {
  /** Identifies the request in the response (Request-Id) and the log. */
  readonly id: string
  readonly method: string
  /** The request-target in origin-form, as received and still encoded; or `*`. */
  readonly target: string
  /** Lower-case field names to combined field values (RFC 9110 §5.3); has no prototype. */
  readonly fields: Fields
  readonly content: Content
  readonly client: Peer
  /** Whether the client has reset the connection. Closing its half does not count: it may wait for the response. */
  isAbandoned?(): boolean
}

export type Fields = Readonly<Record<string, string | undefined>>

export interface Peer {
  readonly address: string
  /** Whether the client's connection uses TLS. */
  readonly secure: boolean
  /** The host that the client requested, when a trusted proxy reports one other than Host. */
  readonly host?: string
}

/** The content of a request. Reading it starts receiving it, and sends 100 (Continue) if expected. Read it at most once. */
export interface Content {
  /** Whether the message has content: Content-Length above 0, or Transfer-Encoding. */
  readonly present: boolean
  /** Content-Length; undefined when the content is chunked. */
  readonly length: number | undefined
  /** Returns all octets; refuses with content-too-large beyond the limit. */
  read(limit: number): Promise<Uint8Array>
  /** Yields the octets as they arrive, as fast as they are taken; refuses like `read`. */
  stream(limit: number): AsyncIterable<Uint8Array>
  /** Sends an interim response (RFC 9110 §15.2); undefined where the connection takes none. */
  inform?(status: number, fields: Readonly<Record<string, string>>): void
}

export interface HttpResponse {
  readonly status: number
  readonly fields: ResponseFields
  readonly body?: Body
}

/** Complete, or generated while it is sent, as fast as the client reads. */
export type Body = string | Uint8Array | AsyncIterable<string | Uint8Array>

/** Field names in the case that the RFCs use; several lines of one field as an array. */
export type ResponseFields = Record<string, string | readonly string[]>

export const noFields: Readonly<ResponseFields> = Object.freeze({})

export type Handler = (request: HttpRequest) => Promise<HttpResponse>
