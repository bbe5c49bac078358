/** Decodes the content coding of requests (RFC 9110 §8.4): gzip, up to a limit. */

import { gunzip } from 'node:zlib'
import { refuse } from '../../refusal.ts'
import { promisify } from '../../tools/node-builtins.ts'

/** Returns the decoded octets; refuses 413 when they exceed the limit, 400 when they are not valid. */
type Decoder = (coded: Uint8Array, limit: number) => Promise<Uint8Array>

/** The decoder for the value of Content-Encoding; undefined for `identity`. Refuses 415 for other codings. */
export function decoderFor(contentEncoding: string | undefined): Decoder | undefined {
  const coding = contentEncoding?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity') return undefined
  // §8.4.1.3: x-gzip is equivalent to gzip.
  if (coding === 'gzip' || coding === 'x-gzip') return decodeGzip
  throw refuse('unsupported-content-coding', {
    detail: 'Send the content uncoded or in gzip.',
    // §12.5.3: in a response, the codings that requests may use.
    fields: { 'Accept-Encoding': 'gzip' },
  })
}

const expand = promisify(gunzip)

/** Stops at the limit: a few coded octets can expand to very many. */
async function decodeGzip(coded: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await expand(coded, { maxOutputLength: limit })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw refuse('content-too-large', {
        detail: `The content may have at most ${limit} octets after gzip is decoded.`,
        cause,
      })
    }
    throw refuse('malformed-content', { detail: 'The content is not valid gzip.', cause })
  }
}
