/** The limits of the server for sizes, times and connections (docs/reference/http/limits.md, Limits). */

export interface SocketLimits {
  /** Octets of the request-target. */
  readonly target: number
  /** Octets of the header section: for each field its name, its value and four more. */
  readonly headerSection: number
  readonly headerFields: number
  /** Open connections; the file descriptors of the process may allow fewer. */
  readonly connections: number
  /** Octets of unread content that are dropped to reuse a connection. */
  readonly remainder: number
  /** Pipelined requests of a connection before reading from it is paused. */
  readonly pipeline: number
  /** Milliseconds for a header section to arrive. */
  readonly headersTimeout: number
  /** Milliseconds for a whole request to arrive. */
  readonly requestTimeout: number
  /** Milliseconds a connection may be idle between requests. */
  readonly keepAlive: number
  /** Milliseconds without an octet in either direction during a request. */
  readonly stall: number
  /** Unread response octets of a client; a further large response is 503. */
  readonly bufferedPerClient: number
  readonly bufferedPerProcess: number
  /** Octets per second that a client must read on average while octets are unread. */
  readonly readRate: number
  /** Milliseconds before `readRate` is required. */
  readonly readGrace: number
  /** Milliseconds to read from a connection after closing our half. */
  readonly linger: number
  /** Milliseconds between two checks for timeouts. */
  readonly checkInterval: number
}

export const defaultLimits: SocketLimits = Object.freeze({
  target: 8192,
  headerSection: 16_384,
  headerFields: 100,
  connections: Number.POSITIVE_INFINITY,
  remainder: 65_536,
  pipeline: 64,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAlive: 72_000,
  stall: 72_000,
  bufferedPerClient: 64 * 1024 * 1024,
  bufferedPerProcess: 256 * 1024 * 1024,
  readRate: 1024,
  readGrace: 10_000,
  linger: 2_000,
  checkInterval: 1_000,
})
