/**
 * Content codings of responses (RFC 9110 §8.4, §12.5.3): the choice, the coded content, and its
 * entity tag, which differs between codings because a strong tag names octets (§8.8.3).
 */

import { Readable } from 'node:stream'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import { LiveBody } from '../../http/live-body.ts'
import type { Body, HttpRequest } from '../../http/message.ts'
import type { Method } from '../../http/method.ts'
import { negotiateCoding } from '../../http/negotiation.ts'
import { isStreamed, type StreamedBody } from '../../http/streamed-body.ts'
import { refuse } from '../../refusal.ts'
import { promisify } from '../../tools/node-builtins.ts'
import type { CodingChoice } from '../context/request-context.ts'
import { isFileTarget, isMadeFile, type Target } from '../context/target.ts'
import { mayReturnSecret } from './cacheability.ts'

type CompleteBody = Exclude<Body, StreamedBody>

/** Octets. Coding content up to this length saves too little. */
const maxSmallLength = 1024

/** Best first. Measured on a page of fifty items: zstd is the fastest, and as small as gzip. */
const coders = {
  zstd: promisify(zstdCompress),
  br: (body: CompleteBody) => compressBrotli(body, { params: brotliParameters }),
  gzip: (body: CompleteBody) => compressGzip(body, { level: 6 }),
} as const

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
/** Above 4 the time doubles and the size falls by a tenth. */
const brotliParameters = { [constants.BROTLI_PARAM_QUALITY]: 4 }

/** The same codings for streamed bodies. */
const streamCoders = {
  zstd: () => createZstdCompress(),
  br: () => createBrotliCompress({ params: brotliParameters }),
  gzip: () => createGzip({ level: 6 }),
} as const

const offered = Object.keys(coders) as (keyof typeof coders)[]
const uncoded: CodingChoice = Object.freeze({ coding: 'identity', isRequired: false })

/** The coding of the response; refuses 406 when the client excludes every offered coding. */
export function chooseCoding(target: Target, method: Method, request: HttpRequest): CodingChoice {
  const accepted = request.fields['accept-encoding']
  // The digest of a file, and the positions of its ranges, are those of its octets.
  if (accepted === undefined || isFileTarget(target) || isMadeFile(target)) return uncoded
  // Secrets are not compressed: the size would reveal guesses placed next to them (BREACH).
  const offers = mayReturnSecret(target) ? [] : offered
  const coding = negotiateCoding(accepted, offers)
  if (coding !== undefined) {
    const isRequired = negotiateCoding(accepted, []) === undefined
    return { coding: coding as CodingChoice['coding'], isRequired }
  }
  if (method === 'DELETE') return uncoded
  const codings = ['identity', ...offers]
  throw refuse('not-acceptable', {
    detail: `Accept-Encoding excludes every offered coding: ${codings.join(', ')}.`,
    members: { offered: codings },
  })
}

export interface EncodedBody {
  readonly body: Body
  /** The value of Content-Encoding; undefined when the body is not coded. */
  readonly coding: string | undefined
}

/** The body in the chosen coding; small bodies stay as they are unless the client excludes that. */
export async function encodeBody(body: Body, { coding, isRequired }: CodingChoice): Promise<EncodedBody> {
  // A coder would hold events back until it has enough of them.
  if (coding === 'identity' || body instanceof LiveBody) return { body, coding: undefined }
  if (isStreamed(body)) return { body: codedStream(body, coding), coding }
  if (!isRequired && isSmall(body)) return { body, coding: undefined }
  return { body: await coders[coding](body), coding }
}

/** Ends the source when the reader ends early. */
async function* codedStream(body: StreamedBody, coding: keyof typeof streamCoders) {
  const coded = Readable.from(body).compose(streamCoders[coding]())
  try {
    yield* coded as AsyncIterable<Uint8Array>
  } finally {
    coded.destroy()
  }
}

/**
 * The entity tag of the content in the negotiated coding. It does not depend on whether the content is too small to be
 * coded, so that a 304 has the tag of the 200 without writing it (RFC 9110 §15.4.5).
 */
export function tagWithCoding(tag: string, { coding, isRequired }: CodingChoice): string {
  const suffix = tagSuffixes[coding]
  return suffix === '' ? tag : `${tag.slice(0, -1)}${suffix}${isRequired ? 's' : ''}"`
}

const tagSuffixes = { identity: '', gzip: '.g', br: '.b', zstd: '.z' } as const

/** UTF-8 has one to three octets for each UTF-16 unit, so most texts need not be measured. */
function isSmall(body: CompleteBody): boolean {
  if (body.length > maxSmallLength) return false
  if (typeof body !== 'string' || body.length * 3 <= maxSmallLength) return true
  return Buffer.byteLength(body) <= maxSmallLength
}
