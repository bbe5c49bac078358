/** Authenticator data (WebAuthn Level 3 §6.1): the host, flags and counter of a response, and the id of a new key. */

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
