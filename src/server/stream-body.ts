/** Sends streamed bodies with back-pressure. */

import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { LiveBody } from '../http/live-body.ts'
import type { StreamedBody } from '../http/streamed-body.ts'
import { releaseReadBuffer } from '../tools/read-buffers.ts'

/**
 * Sends the whole body. Resolves to undefined, to 'gone' when the client closed the connection, or
 * to the error. On failure it closes the connection and stops the generator of the body.
 */
export async function sendStream(response: ServerResponse, body: StreamedBody): Promise<unknown> {
  const parts = body[Symbol.asyncIterator]()
  const leave = () => void parts.return?.()
  // A body that waits for its next part would not notice that the client has gone.
  response.once('close', leave)
  // A client may close its half after its request (RFC 9112 §9.6), but none waits for events so.
  const { socket } = response
  if (body instanceof LiveBody) socket?.once('end', leave)
  try {
    await pipeline(releasingSentParts({ [Symbol.asyncIterator]: () => parts }, response), response)
    return undefined
  } catch (cause) {
    response.destroy()
    return isGone(cause) ? 'gone' : cause
  } finally {
    socket?.off('end', leave)
  }
}

/** The same parts. The next one is taken after back-pressure, when the system usually has all octets. */
async function* releasingSentParts(parts: StreamedBody, response: ServerResponse): StreamedBody {
  for await (const part of parts) {
    yield part
    if (typeof part !== 'string' && response.writableLength === 0) releaseReadBuffer(part)
  }
}

/** Also where the body failed after that. */
function isGone(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.some(isGone)
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}
