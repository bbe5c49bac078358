/** Sends streamed bodies with back-pressure. */

import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { StreamedBody } from '../http/streamed-body.ts'

/**
 * Sends the whole body. Resolves to undefined, to 'gone' when the client closed the connection, or
 * to the error. On failure it closes the connection and stops the generator of the body.
 */
export async function sendStream(response: ServerResponse, body: StreamedBody): Promise<unknown> {
  try {
    await pipeline(body, response)
    return undefined
  } catch (cause) {
    response.destroy()
    return isGone(cause) ? 'gone' : cause
  }
}

function isGone(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}
