/** Content codings of what is received (RFC 9110 §8.4): gzip, and never more than is admitted. */

import { gunzip } from 'node:zlib'
import { refuse } from '../refusal.ts'
import { promisify } from '../tools/node-builtins.ts'

/** Takes the coding off; refuses 413 where more than the limit comes out, and 400. */
export type Decoder = (coded: Uint8Array, limit: number) => Promise<Uint8Array>

/**
 * What undoes the codings that Content-Encoding names, undefined where there is none to undo;
 * refuses 415 where that is not taken.
 */
export function decoderFor(contentEncoding: string | undefined): Decoder | undefined {
  const coding = contentEncoding?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity') return undefined
  // §8.4.1.3: recipients take x-gzip for gzip.
  if (coding === 'gzip' || coding === 'x-gzip') return decodeGzip
  throw refuse('unsupported-content-coding', {
    detail: 'Content is taken as it is, or in gzip once.',
    // §12.5.3: in a response, the codings that a request may have.
    fields: { 'Accept-Encoding': 'gzip' },
  })
}

const expand = promisify(gunzip)

/** Stops as soon as the limit is passed: a few octets may stand for very many. */
async function decodeGzip(coded: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await expand(coded, { maxOutputLength: limit })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw refuse('content-too-large', {
        detail: `The content may have ${limit} octets, also after gzip is undone.`,
        cause,
      })
    }
    throw refuse('malformed-content', { detail: 'The content is not valid gzip.', cause })
  }
}
