/** CBOR (RFC 8949) of authenticators, and the public keys in it. All of it comes from the network. */

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { findAuthenticatorData } from '../../../src/features/second-factors/passkeys/authenticator-data.ts'
import { findCborItem, findCborValue } from '../../../src/features/second-factors/passkeys/cbor.ts'
import { findSignatureKey } from '../../../src/features/second-factors/passkeys/cose-key.ts'
import { cases } from '../../cases.ts'
import { encodeCbor, head } from './cbor-encoder.ts'
import { keyPairs, SoftwareAuthenticator } from './software-authenticator.ts'

const fromHex = (hex: string) => Buffer.from(hex, 'hex')

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom(true, false, null),
    fc.maxSafeInteger(),
    fc.integer({ min: -300, max: 300 }),
    fc.string({ unit: 'grapheme' }),
    fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
    fc.array(tie('value')),
    fc.array(fc.tuple(fc.oneof(fc.integer(), fc.string()), tie('value'))).map((pairs) => new Map(pairs)),
  ),
}))

test('values of the seven kinds are read, and the end of the item is found', () => {
  const property = fc.property(anyValue, fc.uint8Array({ maxLength: 5 }), (value, more) => {
    const octets = encodeCbor(value)
    assert.deepEqual(findCborValue(octets), value)
    const followed = Buffer.concat([octets, more])
    assert.deepEqual(findCborItem(followed, 0), { value, end: octets.length })
    assert.deepEqual(findCborItem(Buffer.concat([more, octets]), more.length)?.value, value)
  })
  fc.assert(property, { numRuns: cases(2000) })
})

test('RFC 8949 appendix A: examples of the kinds that authenticators use', () => {
  for (const [hex, value] of [
    ['00', 0],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['1b000000e8d4a51000', 1_000_000_000_000],
    ['20', -1],
    ['3903e7', -1000],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['4401020304', fromHex('01020304')],
    ['6449455446', 'IETF'],
    ['63e6b0b4', '水'],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    [
      'a201020304',
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
    [
      'a26161016162820203',
      new Map<string, unknown>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
  ] as const) {
    assert.deepEqual(findCborValue(fromHex(hex)), value, hex)
  }
})

test('anything else is refused: other kinds, indefinite lengths, repeated keys, octets that are missing or follow', () => {
  for (const hex of [
    '', // nothing
    '0000', // two items
    '18',
    '1900',
    '1b00000000000000', // a number without its octets
    '1b0020000000000000',
    '3bffffffffffffffff', // numbers that are not exact
    '1c',
    '1d',
    '1e',
    '1f', // reserved
    '4201',
    '62c3',
    '5bffffffffffffffff',
    '7b7fffffffffffffff', // strings that are too short
    '62c328', // not UTF-8
    '5f4101ff',
    '7f6161ff',
    '9f01ff',
    'bf0102ff', // indefinite lengths
    '8201',
    '9bffffffffffffffff',
    '9b001fffffffffffff01', // arrays that are too short
    'a101',
    'bb001fffffffffffff0101', // maps that are too short
    'a201020103', // a key twice
    'a1f501',
    'a1410001',
    'a18001', // keys that are not integers or texts
    'c001',
    'c249010000000000000000', // tags
    'e0',
    'f0',
    'f7',
    'f814',
    'f820', // other simple values
    'f90000',
    'fa47c35000',
    'fb3ff199999999999a', // floats
    'ff', // a break
  ]) {
    assert.equal(findCborValue(fromHex(hex)), undefined, hex)
  }
})

test('eight levels are read and nine are refused, also among a million', () => {
  const nested = (levels: number) => Buffer.concat([Buffer.alloc(levels - 1, 0x81), fromHex('00')])
  assert.notEqual(findCborValue(nested(8)), undefined)
  assert.equal(findCborValue(nested(9)), undefined)
  for (const octet of [0x81, 0x9b, 0xa1, 0xbb]) {
    assert.equal(findCborValue(Buffer.alloc(1_000_000, octet)), undefined)
  }
  const wide = Buffer.concat([head(4, 1_000_000), Buffer.alloc(999_999, 0x80)])
  assert.equal(findCborValue(wide), undefined)
})

test('random octets and changed keys are read or refused, without an exception', () => {
  const readers = [findCborValue, findSignatureKey, findAuthenticatorData]
  const random = fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets))
  const known = Object.values(keyPairs).map((create) => new SoftwareAuthenticator(create()).publicKey)
  const changed = fc
    .tuple(fc.constantFrom(...known), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat())
    .map(([key, changes, length]) => {
      const octets = Buffer.from(key)
      for (const [at, octet] of changes) octets[at % octets.length] = octet
      return octets.subarray(0, length % 3 === 0 ? length % octets.length : octets.length)
    })
  const property = fc.property(fc.oneof(random, changed), (octets) => {
    for (const read of readers) read(octets)
    const item = findCborItem(octets, 0)
    assert.ok(!item || (item.end > 0 && item.end <= octets.length))
  })
  fc.assert(property, { numRuns: cases(20_000) })
})

test('a key has the type, the curve and the size of its algorithm', () => {
  const ec = new SoftwareAuthenticator().publicKey
  const okp = new SoftwareAuthenticator(keyPairs.EdDSA()).publicKey
  const rsa = (modulusLength: number, publicExponent = 65_537) =>
    new SoftwareAuthenticator(generateKeyPairSync('rsa', { modulusLength, publicExponent })).publicKey
  const rs256 = rsa(2048)
  for (const key of [ec, okp, rs256]) assert.ok(findSignatureKey(key))
  const change = (key: Buffer, label: number, value: unknown) => {
    const parameters = new Map(findCborValue(key) as ReadonlyMap<number, unknown>)
    if (value === undefined) parameters.delete(label)
    else parameters.set(label, value)
    return encodeCbor(parameters)
  }
  const ones = (length: number) => Buffer.alloc(length, 0xff)
  for (const [key, label, values] of [
    [ec, 1, [undefined, 1, 3, '2']],
    [ec, 3, [undefined, -8, -257, -35, -37, -48, '-7']],
    [ec, -1, [undefined, 2, 3, 6, 8, 'P-256']],
    [ec, -2, [undefined, ones(31), ones(32), ones(33), Buffer.alloc(0), 5]],
    [ec, -3, [undefined, ones(32), true, false]],
    [okp, 1, [2, 3, 'OKP']],
    [okp, 3, [-7, -257]],
    [okp, -1, [undefined, 1, 4, 5, 7, 'Ed25519']],
    [okp, -2, [undefined, ones(31), ones(33), ones(57)]],
    [rs256, 1, [1, 2]],
    [rs256, 3, [-7, -8, -37, -65_535]],
    [rs256, -1, [undefined, ones(255), ones(1025), Buffer.concat([Buffer.alloc(1), ones(255)]), 5]],
    [rs256, -2, [undefined, Buffer.alloc(0), fromHex('00'), fromHex('01'), ones(5), ones(256), 65_537]],
  ] as const) {
    for (const value of values) {
      assert.equal(findSignatureKey(change(key, label, value)), undefined, `${label} is ${String(value)}`)
    }
  }
  assert.equal(findSignatureKey(rsa(1024)), undefined)
  assert.equal(findSignatureKey(change(rs256, -1, Buffer.concat([fromHex('7f'), ones(255)]))), undefined)
  assert.ok(findSignatureKey(change(rs256, -1, ones(1024))))
  assert.equal(findSignatureKey(Buffer.concat([ec, fromHex('00')])), undefined)
  assert.equal(findSignatureKey(encodeCbor([1, 2])), undefined)
})
