/**
 * Content codings of what is sent (RFC 9110 §8.4, §12.5.3): which one the client gets, the content
 * in it, and the entity tag it then has, for a strong tag names octets and not what they mean.
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
import type { CodingChoice, Method } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import type { Body, HttpRequest } from '../http/message.ts'
import { negotiateCoding } from '../http/negotiation.ts'
import { refuse } from '../refusal.ts'
import type { MaybePromise } from '../store/store.ts'
import { promisify } from '../tools/node-builtins.ts'
import { mayReturnSecret } from './cacheability.ts'

/** A body that is known at once. */
type Whole = string | Uint8Array
/** One that is made while it is sent. */
type Streamed = Exclude<Body, Whole>

export function isStreamed(body: Body): body is Streamed {
  return typeof body === 'object' && Symbol.asyncIterator in body
}

/** What is no longer than this gains nothing worth the work. */
const smallest = 1024

/** Measured on a page of fifty items: zstd is both the quickest and as small as gzip. */
const coders = {
  zstd: promisify(zstdCompress),
  br: (body: Whole) => compressBrotli(body, { params: brotliParameters }),
  gzip: (body: Whole) => compressGzip(body, { level: 6 }),
} as const

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
/** Beyond 4 the time doubles for a tenth of the size. */
const brotliParameters = { [constants.BROTLI_PARAM_QUALITY]: 4 }

/** The same codings for what is made while it is sent. */
const streamCoders = {
  zstd: () => createZstdCompress(),
  br: () => createBrotliCompress({ params: brotliParameters }),
  gzip: () => createGzip({ level: 6 }),
} as const

const offered = Object.keys(coders) as (keyof typeof coders)[]
const uncoded: CodingChoice = Object.freeze({ coding: 'identity', always: false })

/** The coding; refuses 406 where the client excludes all there are, before anything has an effect. */
export function chooseCoding(target: Target, method: Method, request: HttpRequest): CodingChoice {
  const accepted = request.fields['accept-encoding']
  if (accepted === undefined) return uncoded
  // Sizes of coded content tell what is in it, to whoever can make guesses stand beside a secret.
  const offers = mayReturnSecret(target) ? [] : offered
  const coding = negotiateCoding(accepted, offers)
  if (coding !== undefined) {
    const always = negotiateCoding(accepted, []) === undefined
    return { coding: coding as CodingChoice['coding'], always }
  }
  if (method === 'DELETE') return uncoded
  const sent = ['identity', ...offers]
  throw refuse('not-acceptable', {
    detail: `Accept-Encoding excludes all the codings on offer: ${sent.join(', ')}.`,
    members: { offered: sent },
  })
}

export interface EncodedBody {
  readonly body: Body
  /** What Content-Encoding says; undefined where the content is as it is. */
  readonly coding: string | undefined
}

export function encodeBody(
  body: Body,
  { coding, always }: CodingChoice,
): MaybePromise<EncodedBody> {
  if (coding === 'identity') return { body, coding: undefined }
  if (isStreamed(body)) return { body: codedStream(body, coding), coding }
  if (!always && isSmall(body)) return { body, coding: undefined }
  return coders[coding](body).then((coded) => ({ body: coded, coding }))
}

/** Ends what makes the body when whoever takes it ends, and fails when it fails. */
async function* codedStream(body: Streamed, coding: keyof typeof streamCoders) {
  const coded = Readable.from(body).compose(streamCoders[coding]())
  try {
    yield* coded as AsyncIterable<Uint8Array>
  } finally {
    coded.destroy()
  }
}

/**
 * The ETag of content whose ETag before any coding is this one. Small content is the same octets
 * in every choice, and keeps the tag; large content says what it is in.
 */
export function tagWithCoding(tag: string, body: Whole, choice: CodingChoice): string {
  const small = isSmall(body)
  return withMark(tag, small ? marksOfSmall(choice) : marks[choice.coding])
}

/**
 * All that the tag can be in this coding, as long as nobody has looked how large the content is: a
 * client can only have the right one, for which of them it is follows from the tag itself.
 */
export function possibleTags(tag: string, choice: CodingChoice): readonly string[] {
  return [withMark(tag, marksOfSmall(choice)), withMark(tag, marks[choice.coding])]
}

const marks = { identity: '.i', gzip: '.g', br: '.b', zstd: '.z' } as const

function marksOfSmall({ coding, always }: CodingChoice): string {
  return always ? `${marks[coding]}s` : ''
}

/** Inside the quotes. */
function withMark(tag: string, mark: string): string {
  return mark === '' ? tag : `${tag.slice(0, -1)}${mark}"`
}

/** In octets of UTF-8, of which no character has fewer than one or more than three a unit. */
function isSmall(body: Whole): boolean {
  if (body.length > smallest) return false
  return typeof body !== 'string' || body.length * 3 <= smallest || octetsOf(body) <= smallest
}

function octetsOf(text: string): number {
  return Buffer.byteLength(text)
}
