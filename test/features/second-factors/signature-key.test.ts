/** Public keys of passkeys, which come from the network. */

import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  encodeSignatureKey,
  findSignatureKey,
} from '../../../src/features/second-factors/passkeys/signature-key.ts'
import { findAuthenticatorData } from '../../../src/features/second-factors/passkeys/webauthn.ts'
import { cases } from '../../cases.ts'
import { keyPairs, SoftwareAuthenticator } from './software-authenticator.ts'

const spki = { type: 'spki', format: 'der' } as const

function rsa(modulusLength: number, publicExponent = 65_537): Buffer {
  return generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export(spki)
}

/** A key that no library would make, of any modulus and exponent. */
function rsaOf(modulus: Buffer, exponent: Buffer): Buffer {
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') }
  return createPublicKey({ key: jwk, format: 'jwk' }).export(spki)
}

test('keys of P-256 and RSA are accepted, and those of other algorithms and curves refused', () => {
  assert.equal(findSignatureKey(new SoftwareAuthenticator().publicKey)?.algorithm, -7)
  assert.equal(findSignatureKey(rsa(2048))?.algorithm, -257)
  for (const namedCurve of ['P-384', 'P-521', 'secp256k1']) {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve })
    assert.equal(findSignatureKey(publicKey.export(spki)), undefined, namedCurve)
  }
  const others: readonly KeyObject[] = [
    generateKeyPairSync('ed25519').publicKey,
    generateKeyPairSync('ed448').publicKey,
    generateKeyPairSync('x25519').publicKey,
    generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey,
  ]
  for (const key of others) {
    assert.equal(findSignatureKey(key.export(spki)), undefined, String(key.asymmetricKeyType))
  }
})

test('an RSA modulus has 2,048 to 8,192 bits', () => {
  const modulus = (bits: number) => {
    const octets = Buffer.alloc(Math.ceil(bits / 8), 0xff)
    octets[0] = 0xff >> (octets.length * 8 - bits)
    return octets
  }
  const accepts = (bits: number) =>
    findSignatureKey(rsaOf(modulus(bits), Buffer.from([1, 0, 1]))) !== undefined
  assert.deepEqual([2047, 2048, 8192, 8193].map(accepts), [false, true, true, false])
  assert.equal(findSignatureKey(rsa(1024)), undefined)
})

test('an RSA exponent is odd, at least 3, and has at most 32 bits', () => {
  const modulus = Buffer.alloc(256, 0xff)
  const accepts = (hex: string) => findSignatureKey(rsaOf(modulus, Buffer.from(hex, 'hex'))) !== undefined
  assert.deepEqual(['03', '05', '010001', 'ffffffff'].map(accepts), [true, true, true, true])
  assert.deepEqual(['01', '02', '04', '010000', 'fffffffe', '0100000001', 'ff'.repeat(256)].map(accepts), [
    false,
    false,
    false,
    false,
    false,
    false,
    false,
  ])
})

test('a point that is not on the curve is refused', () => {
  const octets = Buffer.from(new SoftwareAuthenticator().publicKey)
  octets[octets.length - 1] = (octets.at(-1) ?? 0) ^ 1
  assert.equal(findSignatureKey(octets), undefined)
})

test('octets after a key are not stored', () => {
  const { publicKey } = new SoftwareAuthenticator()
  const key = findSignatureKey(Buffer.concat([publicKey, Buffer.alloc(9)]))
  assert.deepEqual(key && encodeSignatureKey(key), publicKey)
})

test('random octets and changed keys are read or refused, without an exception', () => {
  const random = fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets))
  const keys = Object.values(keyPairs).map((create) => new SoftwareAuthenticator(create()).publicKey)
  const changed = fc
    .tuple(fc.constantFrom(...keys), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat())
    .map(([key, changes, length]) => {
      const octets = Buffer.from(key)
      for (const [at, octet] of changes) octets[at % octets.length] = octet
      return octets.subarray(0, length % 3 === 0 ? length % octets.length : octets.length)
    })
  const property = fc.property(fc.oneof(random, changed), (octets) => {
    const key = findSignatureKey(octets)
    if (key) assert.ok(findSignatureKey(encodeSignatureKey(key)))
    const data = findAuthenticatorData(octets)
    assert.ok(!data?.newKeyId || data.newKeyId.length <= 1023)
  })
  fc.assert(property, { numRuns: cases(20_000) })
})
