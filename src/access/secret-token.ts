/**
 * The secret of a token: `rw_`, 32 random octets in base 62, and a checksum, which detects a
 * mistyped or truncated secret without a database query.
 */

import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'rw_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 > 2^256 and 62^6 > 2^32. */
const randomLength = 43
const checksumLength = 6

/** Returns a new secret. */
export function createSecretToken(): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)
  return `${prefix}${random}${checksumOf(prefix + random)}`
}

/** Whether Bearer credentials are meant as a token of this service, and not as a JWT. */
export function hasSecretTokenPrefix(credentials: string): boolean {
  return credentials.startsWith(prefix)
}

/** Whether the credentials have the form and the checksum of a secret. */
export function isSecretToken(credentials: string): boolean {
  if (!secretPattern.test(credentials)) return false
  const end = prefix.length + randomLength
  return checksumOf(credentials.slice(0, end)) === credentials.slice(end)
}

const secretPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** Returns the SHA-256 digest in hexadecimal. For random secrets no salt is necessary. */
export function sha256(secret: string): string {
  return hash('sha256', secret, 'hex')
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), checksumLength)
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text
}
