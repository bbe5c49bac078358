/**
 * Time-based one-time passwords (RFC 6238) in the form that all authenticator apps support: HMAC-SHA-1, six digits,
 * steps of 30 seconds.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const stepMilliseconds = 30_000
const digits = 6
/** RFC 4226 §4, R6: 160 bits are recommended. */
const keyLength = 20
/** RFC 6238 §5.2: one step for a clock that is fast or slow. */
const skew = 1

export function createTotpKey(): Buffer {
  return randomBytes(keyLength)
}

/** The time step of a moment in milliseconds since 1970. */
export function totpStep(now: number): number {
  return Math.floor(now / stepMilliseconds)
}

/** The code of a step (RFC 4226 §5.3). */
export function totpCode(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The step of the code, at most one before or after the present one and after `last`, the last accepted one; undefined
 * for a wrong code and for one that was accepted (RFC 6238 §5.2).
 */
export function findTotpStep(
  key: Uint8Array,
  code: string,
  { now, last }: { readonly now: number; readonly last: number },
): number | undefined {
  const sent = Buffer.from(code)
  if (sent.length !== digits) return undefined
  const present = totpStep(now)
  const steps = Array.from({ length: 2 * skew + 1 }, (_, index) => present - skew + index)
  return steps.findLast((step) => step > last && timingSafeEqual(Buffer.from(totpCode(key, step)), sent))
}

export interface TotpLabel {
  /** The title of the service. */
  readonly issuer: string
  readonly login: string
}

/** The URI that authenticator apps read from a QR code. */
export function formatOtpauthUri({ issuer, login }: TotpLabel, key: Uint8Array): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(login)}`
  return `otpauth://totp/${label}?secret=${formatBase32(key)}&issuer=${encodeURIComponent(issuer)}`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 §6, without padding. */
export function formatBase32(octets: Uint8Array): string {
  const bits = Array.from(octets, (octet) => octet.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
