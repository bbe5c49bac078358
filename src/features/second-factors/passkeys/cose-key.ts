/**
 * Public keys as COSE_Key (RFC 9052 §7) of the three algorithms that authenticators have in common: EdDSA with Ed25519,
 * ES256 with P-256, and RS256.
 */

import { createPublicKey, type KeyObject, verify, type webcrypto } from 'node:crypto'
import { type CborMap, findCborValue, isCborMap } from './cbor.ts'

export interface SignatureKey {
  readonly key: KeyObject
  /** Null where the algorithm has its own digest. */
  readonly digest: 'sha256' | null
}

/** The identifiers of the algorithms (RFC 9053 §2, RFC 8812 §2), the preferred one first. */
export const coseAlgorithms = [-8, -7, -257] as const

interface CoseAlgorithm {
  readonly keyType: number
  readonly digest: 'sha256' | null
  /** The key as a JWK (RFC 7517); undefined where a parameter is missing or wrong. */
  readonly findJwk: (parameters: CborMap) => webcrypto.JsonWebKey | undefined
}

const algorithmTable: Readonly<Record<(typeof coseAlgorithms)[number], CoseAlgorithm>> = {
  [-8]: { keyType: 1, digest: null, findJwk: findEd25519Jwk },
  [-7]: { keyType: 2, digest: 'sha256', findJwk: findP256Jwk },
  [-257]: { keyType: 3, digest: 'sha256', findJwk: findRsaJwk },
}

/** Labels of parameters (RFC 9052 §7.1, RFC 9053 §7, RFC 8230 §4). The key type decides what a negative label means. */
const label = { keyType: 1, algorithm: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 }
const curves = { p256: 1, ed25519: 6 }

/** The key; undefined for octets that are no key, and for a key of another algorithm or of a wrong size. */
export function findSignatureKey(octets: Buffer): SignatureKey | undefined {
  const parameters = findCborValue(octets)
  if (!isCborMap(parameters)) return undefined
  const identifier = coseAlgorithms.find((known) => known === parameters.get(label.algorithm))
  if (identifier === undefined) return undefined
  const { keyType, digest, findJwk } = algorithmTable[identifier]
  const jwk = parameters.get(label.keyType) === keyType ? findJwk(parameters) : undefined
  const key = jwk && findKeyObject(jwk)
  return key && { key, digest }
}

/** Whether the key verifies the signature of the data. A signature of ES256 is in DER (WebAuthn §6.5.5). */
export function isSignature({ key, digest }: SignatureKey, data: Buffer, signature: Buffer): boolean {
  return verify(digest, data, key, signature)
}

function findEd25519Jwk(parameters: CborMap): webcrypto.JsonWebKey | undefined {
  const x = findCoordinate(parameters, label.x)
  const isCurve = parameters.get(label.curve) === curves.ed25519
  return isCurve && x ? { kty: 'OKP', crv: 'Ed25519', x } : undefined
}

function findP256Jwk(parameters: CborMap): webcrypto.JsonWebKey | undefined {
  const x = findCoordinate(parameters, label.x)
  const y = findCoordinate(parameters, label.y)
  const isCurve = parameters.get(label.curve) === curves.p256
  return isCurve && x && y ? { kty: 'EC', crv: 'P-256', x, y } : undefined
}

/** Both curves have coordinates of 32 octets, zeros at the beginning included (RFC 9053 §7.1.1). */
function findCoordinate(parameters: CborMap, name: number): string | undefined {
  const octets = parameters.get(name)
  return octets instanceof Buffer && octets.length === 32 ? octets.toString('base64url') : undefined
}

/** In bits. The upper limit bounds the time that a verification takes. */
const modulusLength = { min: 2048, max: 8192 }
/** In octets, for the same reason. The usual exponent, 65537, has three. */
const maxExponentLength = 4

function findRsaJwk(parameters: CborMap): webcrypto.JsonWebKey | undefined {
  const [modulus, exponent] = [parameters.get(label.modulus), parameters.get(label.exponent)]
  if (!(modulus instanceof Buffer) || !(exponent instanceof Buffer)) return undefined
  const length = bitLength(modulus)
  if (length < modulusLength.min || length > modulusLength.max) return undefined
  if (bitLength(exponent) < 2 || exponent.length > maxExponentLength) return undefined
  return { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') }
}

/** Of an unsigned number; 0 for one with zeros at the beginning, which RFC 8230 §4 does not allow. */
function bitLength(octets: Buffer): number {
  const [first = 0] = octets
  return first === 0 ? 0 : octets.length * 8 - (Math.clz32(first) - 24)
}

/** Undefined for a point that is not on the curve. */
function findKeyObject(jwk: webcrypto.JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    // node:crypto throws for every key that it refuses.
    return undefined
  }
}
