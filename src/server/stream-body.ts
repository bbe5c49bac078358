/** Bodies that are made while they are sent: no more is made than the client takes. */

import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { StreamedBody } from '../http/streamed-body.ts'

/**
 * Sends it all, waiting wherever the client is slower. `gone` where the client went first: then
 * the maker is told to stop, and the connection is no more. Else undefined, or what went wrong.
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
