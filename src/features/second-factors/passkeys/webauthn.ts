/**
 * Verifies the responses of authenticators (WebAuthn Level 3 §7), in the form of `PublicKeyCredential.toJSON()`. The
 * options ask for no attestation, so nothing attests a new key: it is read from `publicKey` and not from the attestation
 * object, whose form (CBOR) need not be known.
 */

import { hash } from 'node:crypto'
import { isObject } from '../../../tools/plain-object.ts'
import { encodeSignatureKey, findSignatureKey, isSignature } from './signature-key.ts'

/** The values that a response must have. */
export interface Ceremony {
  readonly origin: string
  /** The relying party id. */
  readonly host: string
  readonly isVerificationRequired: boolean
  readonly isExpectedChallenge: (challenge: string) => boolean
}

export interface RegisteredKey {
  /** In base64url. */
  readonly id: string
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
  readonly counter: number
  /** Whether the key can be copied to other devices, which never changes (§6.1.3). */
  readonly isBackupEligible: boolean
}

/** The key of a response to `navigator.credentials.create()` (§7.1); undefined where the response is refused. */
export function findRegisteredKey(response: unknown, ceremony: Ceremony): RegisteredKey | undefined {
  const sent = findSentPublicKey(response)
  const clientData = findOctets(sent?.response.clientDataJSON)
  const octets = findOctets(sent?.response.authenticatorData)
  const publicKey = findOctets(sent?.response.publicKey)
  if (!sent || !clientData || !octets || !publicKey) return undefined
  if (!isExpectedClientData(clientData, 'webauthn.create', ceremony)) return undefined
  const data = findAuthenticatorData(octets)
  if (!data || !isExpectedData(data, ceremony)) return undefined
  if (data.newKeyId?.toString('base64url') !== sent.id) return undefined
  const key = findSignatureKey(publicKey)
  if (!key || key.algorithm !== sent.response.publicKeyAlgorithm) return undefined
  const { counter, isBackupEligible } = data
  return { id: sent.id, publicKey: encodeSignatureKey(key), counter, isBackupEligible }
}

/** Whether the response to `navigator.credentials.create()` lacks the key that a browser knows how to write. */
export function lacksPublicKey(response: unknown): boolean {
  const sent = findSentPublicKey(response)
  return sent !== undefined && (sent.response.publicKey ?? undefined) === undefined
}

/** The new counter of a response to `navigator.credentials.get()` (§7.2); undefined where the response is refused. */
export function findNewCounter(
  response: unknown,
  known: RegisteredKey,
  ceremony: Ceremony,
): number | undefined {
  const sent = findSentPublicKey(response)
  const clientData = findOctets(sent?.response.clientDataJSON)
  const octets = findOctets(sent?.response.authenticatorData)
  const signature = findOctets(sent?.response.signature)
  if (sent?.id !== known.id || !clientData || !octets || !signature) return undefined
  if (!isExpectedClientData(clientData, 'webauthn.get', ceremony)) return undefined
  const data = findAuthenticatorData(octets)
  if (!data || !isExpectedData(data, ceremony) || !hasGrown(known.counter, data.counter)) return undefined
  if (data.isBackupEligible !== known.isBackupEligible) return undefined
  const key = findSignatureKey(known.publicKey)
  const signed = Buffer.concat([octets, hash('sha256', clientData, 'buffer')])
  return key && isSignature(key, signed, signature) ? data.counter : undefined
}

type Members = Readonly<Record<string, unknown>>

interface SentPublicKey {
  readonly id: string
  readonly response: Members
}

/** Undefined for anything but a public key whose id is its own base64url. */
function findSentPublicKey(sent: unknown): SentPublicKey | undefined {
  if (!isObject(sent) || sent.type !== 'public-key' || !isObject(sent.response)) return undefined
  const { id, rawId, response } = sent
  const isId = typeof id === 'string' && id !== '' && id === rawId && findOctets(id) !== undefined
  return isId ? { id, response } : undefined
}

/** In characters. Real responses have a few thousand. */
const maxTextLength = 16_384

/** The octets of a text in base64url without padding; undefined for anything else. */
function findOctets(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || text.length > maxTextLength) return undefined
  const octets = Buffer.from(text, 'base64url')
  // Decoding ignores characters that base64url does not have.
  return octets.toString('base64url') === text ? octets : undefined
}

/** §5.8.1: type, challenge and origin must be the expected ones, and the page in no frame of another origin. */
function isExpectedClientData(
  octets: Buffer,
  type: 'webauthn.create' | 'webauthn.get',
  { origin, isExpectedChallenge }: Ceremony,
): boolean {
  const client = parseClientData(octets)
  if (!isObject(client) || client.type !== type || client.origin !== origin) return false
  const isFramed = (client.topOrigin ?? undefined) !== undefined || (client.crossOrigin ?? false) !== false
  if (isFramed) return false
  return typeof client.challenge === 'string' && isExpectedChallenge(client.challenge)
}

/** The value of the JSON; undefined for anything else. */
function parseClientData(octets: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(octets))
  } catch {
    // Refused like any other wrong response.
    return undefined
  }
}

function isExpectedData(data: AuthenticatorData, { host, isVerificationRequired }: Ceremony): boolean {
  if (!data.hostDigest.equals(hash('sha256', host, 'buffer')) || !data.isUserPresent) return false
  if (isVerificationRequired && !data.isUserVerified) return false
  // §6.1.3: a key that cannot be copied has no backup.
  return data.isBackupEligible || !data.isBackedUp
}

/** §7.2: the counter of an authenticator that counts must grow. A smaller one suggests a copy of the key. */
function hasGrown(before: number, after: number): boolean {
  return after > before || (after === 0 && before === 0)
}

/** Authenticator data (WebAuthn Level 3 §6.1): the host, flags and counter of a response, and the id of a new key. */
interface AuthenticatorData {
  /** The SHA-256 digest of the host that the key belongs to. */
  readonly hostDigest: Buffer
  readonly isUserPresent: boolean
  readonly isUserVerified: boolean
  /** Whether the key can be copied to other devices. */
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  /** The number of signatures, or always 0. */
  readonly counter: number
  /** In the response to a registration. */
  readonly newKeyId: Buffer | undefined
}

const flag = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  newKey: 0x40,
  extensions: 0x80,
}
const flagsOffset = 32
const counterOffset = 33
const fixedLength = 37
/** An identifier of the kind of authenticator. It is not read, because nothing attests it. */
const modelLength = 16
const maxIdLength = 1023

/**
 * The data; undefined for octets of another form. What follows the id is not read: browsers give the new key in another form
 * too, and nothing attests either. The extensions at the end are of no use here.
 */
export function findAuthenticatorData(octets: Buffer): AuthenticatorData | undefined {
  if (octets.length < fixedLength) return undefined
  const flags = octets.readUInt8(flagsOffset)
  const has = (bit: number) => (flags & bit) !== 0
  const newKeyId = has(flag.newKey) ? findNewKeyId(octets) : undefined
  const hasMore = octets.length > fixedLength
  if (has(flag.newKey) ? !newKeyId : hasMore !== has(flag.extensions)) return undefined
  return {
    hostDigest: octets.subarray(0, flagsOffset),
    isUserPresent: has(flag.userPresent),
    isUserVerified: has(flag.userVerified),
    isBackupEligible: has(flag.backupEligible),
    isBackedUp: has(flag.backedUp),
    counter: octets.readUInt32BE(counterOffset),
    newKeyId,
  }
}

/** The id, before the key (§6.5.1). §7.1: it has at most 1023 octets. */
function findNewKeyId(octets: Buffer): Buffer | undefined {
  const lengthOffset = fixedLength + modelLength
  const idOffset = lengthOffset + 2
  if (octets.length < idOffset) return undefined
  const idLength = octets.readUInt16BE(lengthOffset)
  const keyOffset = idOffset + idLength
  return idLength <= maxIdLength && keyOffset < octets.length
    ? octets.subarray(idOffset, keyOffset)
    : undefined
}
