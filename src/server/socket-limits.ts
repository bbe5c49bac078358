/** How much, and how long, the socket side waits for and reads (CONTRACT 10). */

export interface SocketLimits {
  /** Octets of the request-target. */
  readonly target: number
  /** Octets of the header section: of each field its name, its value, and four around them. */
  readonly headerSection: number
  readonly headerFields: number
  /** Connections at the same time, where the file descriptors of the process allow so many. */
  readonly connections: number
  /** Octets of unread content that are read and dropped to keep a connection. */
  readonly remainder: number
  /** Requests of one connection that wait their turn before no more are read from it. */
  readonly pipeline: number
  /** Milliseconds for a header section to arrive. */
  readonly headersTimeout: number
  /** Milliseconds for a whole request to arrive. */
  readonly requestTimeout: number
  /** Milliseconds a connection may be idle between requests. */
  readonly keepAlive: number
  /** Milliseconds without an octet either way while a request is answered. */
  readonly stall: number
  /** Octets of responses that wait to be read by one client; one more large one is 503. */
  readonly bufferedPerClient: number
  readonly bufferedPerProcess: number
  /** Octets a second that a client must read on average while octets wait for it. */
  readonly readRate: number
  /** Milliseconds before that is required. */
  readonly readGrace: number
  /** Milliseconds a connection that we end is still read, so that the client can read us. */
  readonly linger: number
  /** Milliseconds between two looks for late requests. */
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
