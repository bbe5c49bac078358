/**
 * Verifies the responses of authenticators (WebAuthn Level 3 §7), in the form of `PublicKeyCredential.toJSON()`. Any
 * attestation statement is accepted, because the options ask for none.
 */

import { hash } from 'node:crypto'
import { type AuthenticatorData, findAuthenticatorData } from './authenticator-data.ts'
import { findCborValue, isCborMap } from './cbor.ts'
import { findSignatureKey, isSignature } from './cose-key.ts'

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
  /** COSE_Key. */
  readonly publicKey: Buffer
  readonly counter: number
}

/** The key of a response to `navigator.credentials.create()` (§7.1); undefined where the response is refused. */
export function findRegisteredKey(response: unknown, ceremony: Ceremony): RegisteredKey | undefined {
  const sent = findSentPublicKey(response)
  const clientData = findOctets(sent?.response.clientDataJSON)
  const attestation = findOctets(sent?.response.attestationObject)
  if (!sent || !clientData || !attestation) return undefined
  if (!isExpectedClientData(clientData, 'webauthn.create', ceremony)) return undefined
  const data = findAttestedData(attestation)
  if (!data?.newKey || !isExpectedData(data, ceremony)) return undefined
  const { id, publicKey } = data.newKey
  if (id.toString('base64url') !== sent.id || !findSignatureKey(publicKey)) return undefined
  return { id: sent.id, publicKey, counter: data.counter }
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

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

/** The authenticator data of an attestation object (§6.5.4). */
function findAttestedData(attestation: Buffer): AuthenticatorData | undefined {
  const members = findCborValue(attestation)
  const data = isCborMap(members) ? members.get('authData') : undefined
  return data instanceof Buffer ? findAuthenticatorData(data) : undefined
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
