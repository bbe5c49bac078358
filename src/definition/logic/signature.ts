/** Signatures of inbound requests: HMAC over the content as it was sent, compared in constant time, within a window of time. */

import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Fields } from '../../http/message.ts'

/** A signature by HMAC: where its parts are, and the text that is signed. */
export interface HmacModel {
  readonly header: string
  readonly prefix: string
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64'
  readonly timestamp: string | undefined
  readonly id: string | undefined
  readonly type: string | undefined
  readonly signed: ((parts: SignedParts) => unknown) | undefined
}

/** The parts of a request that may be signed. */
export interface SignedParts {
  readonly content: string
  /** As it was sent; empty where there is none. */
  readonly timestamp: string
  readonly id: string
}

/** The scheme of a signature, and its options. */
export interface SignatureModel {
  readonly scheme: 'stripe' | 'github' | 'standardWebhooks' | 'hmac'
  /** Seconds that the signed time may be away from the present. */
  readonly tolerance: number
  /** The options of `hmac`. */
  readonly hmac: HmacModel | undefined
}

/** Returns the payload with its type. */
export type ParsePayload = (payload: unknown) => unknown

export interface SignedRequest {
  readonly fields: Fields
  readonly octets: Uint8Array
}

/** The id and the type of the event of a valid signature; or why there is none, for the log. */
export type Verification = { readonly id: string; readonly type: string } | { readonly reason: string }

interface Signed {
  readonly signatures: readonly Buffer[]
  /** The parts of the signed text. */
  readonly text: readonly (string | Uint8Array)[]
  /** Seconds since 1970 UTC; undefined: the scheme has no time. */
  readonly time: string | undefined
  readonly algorithm: HmacModel['algorithm']
  readonly id: string
  readonly type: string
  /** The octets of a secret. */
  readonly keyOf: (secret: string) => string | Uint8Array
}

/** The payload of the content, with its type. Throws an InvalidPayload where `parse` does. */
export function payloadOf(
  { parse }: { readonly parse?: ParsePayload | undefined },
  octets: Uint8Array,
): unknown {
  const payload = parsePayload(octets)
  if (!parse) return payload
  try {
    return parse(payload)
  } catch (cause) {
    throw new InvalidPayload('The content does not have the form that this route takes.', { cause })
  }
}

/** Thrown for content that `parse` does not take. */
export class InvalidPayload extends Error {}

/** The options of `hmac` with their defaults. */
export function createHmacModel({
  header,
  prefix = '',
  algorithm = 'sha256',
  encoding = 'hex',
  timestamp,
  id,
  type,
  signed,
}: HmacParts): HmacModel {
  return { header, prefix, algorithm, encoding, timestamp, id, type, signed }
}

export type HmacParts = Pick<HmacModel, 'header'> & Partial<HmacModel>

/** `now` in milliseconds. */
export function verifySignature(
  verifier: SignatureModel,
  secrets: readonly string[],
  request: SignedRequest,
  now: number,
): Verification {
  const signed = partsOf(verifier, request)
  if ('reason' in signed) return signed
  const { signatures, text, time, algorithm, id, type, keyOf } = signed
  if (time !== undefined && !isWithin(time, now, verifier.tolerance)) {
    return { reason: 'The signed time is missing, or too far from the present.' }
  }
  // With a key of no octets everyone could sign.
  const keys = secrets.map(keyOf).filter((key) => key.length > 0)
  const expected = keys.map((key) => hmacOf(algorithm, key, text))
  // Each pair is compared, so that the time tells nothing.
  const matches = expected.flatMap((one) => signatures.map((sent) => isEqual(one, sent)))
  if (!matches.includes(true)) return { reason: 'No signature is that of a secret.' }
  return { id, type }
}

function hmacOf(algorithm: string, key: string | Uint8Array, text: Signed['text']): Buffer {
  const hmac = createHmac(algorithm, key)
  for (const part of text) hmac.update(part)
  return hmac.digest()
}

function isEqual(expected: Buffer, sent: Buffer): boolean {
  return expected.length === sent.length && timingSafeEqual(expected, sent)
}

function isWithin(time: string, now: number, tolerance: number): boolean {
  return /^[0-9]{1,12}$/.test(time) && Math.abs(Number(time) * 1000 - now) <= tolerance * 1000
}

type Scheme = (request: SignedRequest, verifier: SignatureModel) => Signed | { readonly reason: string }

function partsOf(verifier: SignatureModel, request: SignedRequest) {
  return schemes[verifier.scheme](request, verifier)
}

const missing = (header: string) => ({ reason: `The field ${header} is missing.` })

const schemes: Readonly<Record<SignatureModel['scheme'], Scheme>> = {
  // https://docs.stripe.com/webhooks#verify-manually
  stripe({ fields, octets }) {
    const field = fields['stripe-signature']
    if (field === undefined) return missing('Stripe-Signature')
    const parts = field.split(',').map((part) => part.trim().split('='))
    const valuesOf = (name: string) => parts.flatMap(([key, value]) => (key === name && value ? [value] : []))
    const [time = ''] = valuesOf('t')
    const { id, type } = membersOf(octets)
    return {
      ...{ time, id, type, algorithm: 'sha256', keyOf: asText },
      signatures: valuesOf('v1').map((one) => Buffer.from(one, 'hex')),
      text: [`${time}.`, octets],
    }
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github({ fields, octets }) {
    const field = fields['x-hub-signature-256']
    if (field === undefined) return missing('X-Hub-Signature-256')
    return {
      signatures: [Buffer.from(field.replace(/^sha256=/, ''), 'hex')],
      text: [octets],
      time: undefined,
      algorithm: 'sha256',
      id: fields['x-github-delivery'] ?? '',
      type: fields['x-github-event'] ?? '',
      keyOf: asText,
    }
  },
  // https://www.standardwebhooks.com
  standardWebhooks({ fields, octets }) {
    const field = fields['webhook-signature']
    const { 'webhook-id': id = '', 'webhook-timestamp': time = '' } = fields
    if (field === undefined || id === '') return missing(id === '' ? 'webhook-id' : 'webhook-signature')
    const signatures = field.split(' ').flatMap((one) => {
      const [version, value = ''] = one.split(',')
      return version === 'v1' ? [Buffer.from(value, 'base64')] : []
    })
    return {
      ...{ signatures, time, id, type: membersOf(octets).type, algorithm: 'sha256' },
      text: [`${id}.${time}.`, octets],
      keyOf: keyOfStandardWebhooks,
    }
  },
  hmac({ fields, octets }, { hmac }) {
    if (!hmac) throw new Error('A verifier of this scheme has its options')
    const { header, prefix, algorithm, encoding, timestamp, signed } = hmac
    const fieldOf = (name: string | undefined) =>
      name === undefined ? '' : (fields[name.toLowerCase()] ?? '')
    const field = fieldOf(header)
    if (!field.startsWith(prefix) || field === prefix) return missing(header)
    const signature = Buffer.from(field.slice(prefix.length), encoding)
    const [id, type, time] = [fieldOf(hmac.id), fieldOf(hmac.type), fieldOf(timestamp)]
    return {
      ...{ type, algorithm, keyOf: asText },
      signatures: [signature],
      text: [signed ? String(signed({ content: textOf(octets), timestamp: time, id })) : octets],
      time: timestamp === undefined ? undefined : time,
      // Of its octets: one signature has several texts, such as hexadecimal digits in upper case.
      id: hmac.id === undefined ? hash('sha256', signature) : id,
    }
  },
}

/** Octets. The specification asks senders for 24 to 64. */
export const minKeyLength = 16

/** The key of a secret of Standard Webhooks; empty where the text is none. */
export function keyOfStandardWebhooks(secret: string): Uint8Array {
  const text = secret.replace(/^whsec_/, '')
  const key = Buffer.from(/^[A-Za-z0-9+/]+={0,2}$/.test(text) ? text : '', 'base64')
  return key.length < minKeyLength ? Buffer.alloc(0) : key
}

function asText(secret: string): string {
  return secret
}

function textOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('utf8')
}

/** The members `id` and `type` of JSON; empty where it has none. */
function membersOf(octets: Uint8Array): { readonly id: string; readonly type: string } {
  const { id, type } = Object(parsePayload(octets))
  return { id: typeof id === 'string' ? id : '', type: typeof type === 'string' ? type : '' }
}

/** The JSON of the content; its text where it is none. */
function parsePayload(octets: Uint8Array): unknown {
  const text = textOf(octets)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
