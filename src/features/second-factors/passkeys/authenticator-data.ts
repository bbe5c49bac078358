/** Authenticator data (WebAuthn Level 3 §6.1): the host, flags and counter of a response, and a new key. */

import { type CborItem, findCborItem, isCborMap } from './cbor.ts'

export interface AuthenticatorData {
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
  readonly newKey: AttestedKey | undefined
}

/** A new key (§6.5.1). */
export interface AttestedKey {
  readonly id: Buffer
  /** COSE_Key. */
  readonly publicKey: Buffer
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

/** The data; undefined for octets of another form, also where more octets follow. */
export function findAuthenticatorData(octets: Buffer): AuthenticatorData | undefined {
  if (octets.length < fixedLength) return undefined
  const flags = octets.readUInt8(flagsOffset)
  const has = (bit: number) => (flags & bit) !== 0
  const attested = has(flag.newKey) ? findAttestedKey(octets) : { newKey: undefined, end: fixedLength }
  if (!attested) return undefined
  const end = has(flag.extensions) ? findMapItem(octets, attested.end)?.end : attested.end
  if (end !== octets.length) return undefined
  return {
    hostDigest: octets.subarray(0, flagsOffset),
    isUserPresent: has(flag.userPresent),
    isUserVerified: has(flag.userVerified),
    isBackupEligible: has(flag.backupEligible),
    isBackedUp: has(flag.backedUp),
    counter: octets.readUInt32BE(counterOffset),
    newKey: attested.newKey,
  }
}

/** §7.1: an id has at most 1023 octets. */
function findAttestedKey(octets: Buffer): { readonly newKey: AttestedKey; readonly end: number } | undefined {
  const lengthOffset = fixedLength + modelLength
  const idOffset = lengthOffset + 2
  if (octets.length < idOffset) return undefined
  const idLength = octets.readUInt16BE(lengthOffset)
  const keyOffset = idOffset + idLength
  const key = idLength <= maxIdLength ? findMapItem(octets, keyOffset) : undefined
  if (!key) return undefined
  const id = octets.subarray(idOffset, keyOffset)
  return { newKey: { id, publicKey: octets.subarray(keyOffset, key.end) }, end: key.end }
}

function findMapItem(octets: Buffer, start: number): CborItem | undefined {
  const item = findCborItem(octets, start)
  return isCborMap(item?.value) ? item : undefined
}
