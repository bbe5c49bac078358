/** Responses of authenticators (WebAuthn Level 3 §7.1 and §7.2): accepted, or refused because one rule is broken. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Ceremony,
  findNewCounter,
  findRegisteredKey,
  lacksPublicKey,
} from '../../../src/features/second-factors/passkeys/webauthn.ts'
import { cases } from '../../cases.ts'
import {
  type AuthenticatorChoices,
  flag,
  hasExtensions,
  keyPairs,
  SoftwareAuthenticator,
} from './software-authenticator.ts'

const challenge = 'AAECAwQFBgcICQoLDA0ODw'
const right: AuthenticatorChoices = { origin: 'https://example.org', host: 'example.org', counter: 6 }
const ceremony: Ceremony = {
  origin: right.origin,
  host: right.host,
  isVerificationRequired: false,
  isExpectedChallenge: (sent) => sent === challenge,
}
const present = flag.userPresent
/** `{"credProtect": 2}`. */
const extensions = Buffer.from('a16b6372656450726f7465637402', 'hex')

const key = new SoftwareAuthenticator()
const id = key.id.toString('base64url')
const known = { id, publicKey: key.publicKey, counter: 5, isBackupEligible: false }

const register = (choices: Partial<AuthenticatorChoices> = {}) =>
  key.register(challenge, { ...right, ...choices })
const respond = (choices: Partial<AuthenticatorChoices> = {}) =>
  key.respond(challenge, { ...right, ...choices })

test('keys of both algorithms are registered and used', () => {
  for (const [algorithm, createPair] of Object.entries(keyPairs)) {
    const authenticator = new SoftwareAuthenticator(createPair())
    const registered = findRegisteredKey(authenticator.register(challenge, right), ceremony)
    const { publicKey } = authenticator
    const id = authenticator.id.toString('base64url')
    const expected = { id, publicKey, counter: 6, isBackupEligible: false }
    assert.deepEqual(registered, expected, algorithm)
    const response = authenticator.respond(challenge, { ...right, counter: 7 })
    assert.equal(findNewCounter(response, expected, ceremony), 7, algorithm)
    const other = new SoftwareAuthenticator(createPair()).publicKey
    assert.equal(findNewCounter(response, { ...expected, publicKey: other }, ceremony), undefined, algorithm)
  }
})

interface TestVector {
  readonly title: string
  readonly id: string
  readonly registration: { readonly challenge: string }
  readonly authentication: { readonly challenge: string }
}

test('the test vectors of §16 are accepted, except other algorithms and frames of other origins', () => {
  const text = readFileSync(new URL('webauthn-vectors.json', import.meta.url), 'utf8')
  const vectors: readonly TestVector[] = JSON.parse(text)
  assert.equal(vectors.length, 15)
  for (const { title, id, registration, authentication } of vectors) {
    const isAccepted = !/ES384|ES512|Ed25519|Ed448|crossOrigin|topOrigin/.test(title)
    const expecting = (challenge: string): Ceremony => ({
      ...ceremony,
      isExpectedChallenge: (sent) => sent === challenge,
    })
    const sent = { id, rawId: id, type: 'public-key' }
    const created = { ...sent, response: registration }
    const registered = findRegisteredKey(created, expecting(registration.challenge))
    assert.equal(registered !== undefined, isAccepted, title)
    assert.equal(findRegisteredKey(created, expecting(authentication.challenge)), undefined, title)
    if (!registered) continue
    const used = { ...sent, response: authentication }
    assert.equal(findNewCounter(used, registered, expecting(authentication.challenge)), 0, title)
    const wrong = { ...registered, publicKey: known.publicKey }
    assert.equal(findNewCounter(used, wrong, expecting(authentication.challenge)), undefined, title)
  }
})

/** Rules that both responses have, as choices of the authenticator. */
const brokenChoices: Readonly<Record<string, Partial<AuthenticatorChoices>>> = {
  'another type': { clientData: { type: 'payment.get' } },
  'another challenge': { clientData: { challenge: 'AAAA' } },
  'a challenge that is not a text': { clientData: { challenge: [challenge] } },
  'another scheme': { origin: 'http://example.org' },
  'another port': { origin: 'https://example.org:8443' },
  'an origin that is not a text': { clientData: { origin: [right.origin] } },
  'a frame of another origin': { clientData: { crossOrigin: true } },
  'a frame below another origin': { clientData: { topOrigin: 'https://example.com' } },
  'a frame below the same origin': { clientData: { topOrigin: right.origin } },
  'crossOrigin that is not a boolean': { clientData: { crossOrigin: 'false' } },
  'another host': { host: 'example.com' },
  'a host above': { host: 'org' },
}

/** Members of both responses, as a change of the JSON. */
const brokenMembers: Readonly<Record<string, object>> = {
  'another type of credential': { type: 'password' },
  'no type': { type: undefined },
  'no id': { id: undefined, rawId: undefined },
  'an empty id': { id: '', rawId: '' },
  'an id that is not the raw id': { rawId: 'AAAA' },
  'an id with padding': { id: `${id}==`, rawId: `${id}==` },
  'an id that is not a text': { id: [id], rawId: [id] },
  'another id': { id: 'AAAA', rawId: 'AAAA' },
  'no response': { response: undefined },
  'a response that is a text': { response: 'AAAA' },
  'a response that is null': { response: null },
  'an empty response': { response: {} },
}

const values = [undefined, null, true, 5, '', ' ', 'AA==', 'A', 'AAAA', '[]', 'e30', 'bnVsbA', 'W10', [], {}]

test('a registration is refused where one rule is broken (§7.1)', () => {
  assert.ok(findRegisteredKey(register(), ceremony))
  const flags = present | flag.hasKey
  const broken: Readonly<Record<string, Partial<AuthenticatorChoices>>> = {
    ...brokenChoices,
    'the other type': { clientData: { type: 'webauthn.get' } },
    'no person': { flags: flag.userVerified | flag.hasKey },
    'a backup of a key that cannot be copied': { flags: flags | flag.backedUp },
    'no new key': { flags: present },
    'another id': { id: Buffer.alloc(16) },
    'a key that is missing': { encodedKey: Buffer.alloc(0) },
  }
  for (const [rule, choices] of Object.entries(broken)) {
    assert.equal(findRegisteredKey(register(choices), ceremony), undefined, rule)
  }
  const sent = register()
  for (const [rule, members] of Object.entries(brokenMembers)) {
    assert.equal(findRegisteredKey({ ...sent, ...members }, ceremony), undefined, rule)
  }
  for (const member of ['clientDataJSON', 'authenticatorData', 'publicKey', 'publicKeyAlgorithm']) {
    for (const value of [...values, 'A'.repeat(70_000)]) {
      const response = { ...sent.response, [member]: value }
      assert.equal(findRegisteredKey({ ...sent, response }, ceremony), undefined, `${member}: ${value}`)
    }
  }
  for (const value of values) assert.equal(findRegisteredKey(value, ceremony), undefined)
})

test('what a registration may have: extensions, backups, any attestation, no verified person', () => {
  const flags = present | flag.hasKey
  for (const choices of [
    { flags: flags | hasExtensions, more: extensions },
    { flags: flags | flag.eligible },
    { flags: flags | flag.eligible | flag.backedUp },
    { isVerified: false },
    { counter: 0 },
    { counter: 0xffff_ffff },
    { clientData: { crossOrigin: undefined, other_keys_can_be_added_here: 'do not compare' } },
  ]) {
    assert.ok(findRegisteredKey(register(choices), ceremony), JSON.stringify(choices))
  }
  const strict = { ...ceremony, isVerificationRequired: true }
  assert.equal(findRegisteredKey(register({ isVerified: false }), strict), undefined)
  const eligible = findRegisteredKey(register({ flags: flags | flag.eligible }), ceremony)
  assert.equal(eligible?.isBackupEligible, true)
  for (const attestationObject of [undefined, null, 5, 'o2NmbXQ']) {
    const sent = register()
    const response = { ...sent.response, attestationObject }
    assert.ok(findRegisteredKey({ ...sent, response }, ceremony), String(attestationObject))
  }
})

test('a registration of another algorithm than that of its key is refused', () => {
  const sent = register()
  for (const publicKeyAlgorithm of [-257, -8, -35, 7, '-7']) {
    const response = { ...sent.response, publicKeyAlgorithm }
    assert.equal(findRegisteredKey({ ...sent, response }, ceremony), undefined, String(publicKeyAlgorithm))
  }
})

test('a response without publicKey is known, so that its owner can be told what to do', () => {
  const sent = register()
  const { publicKey: _, ...response } = sent.response
  for (const lacking of [response, { ...response, publicKey: null }]) {
    assert.ok(lacksPublicKey({ ...sent, response: lacking }))
    assert.equal(findRegisteredKey({ ...sent, response: lacking }, ceremony), undefined)
  }
  for (const other of [sent, {}, undefined, { ...sent, type: 'password' }]) assert.ok(!lacksPublicKey(other))
})

test('an id has at most 1023 octets (§7.1)', () => {
  const outcome = (length: number) => {
    const long = Buffer.alloc(length, 1)
    const text = long.toString('base64url')
    return findRegisteredKey({ ...register({ id: long }), id: text, rawId: text }, ceremony)?.id.length
  }
  assert.equal(outcome(1023), 1364)
  assert.equal(outcome(1024), undefined)
})

test('an assertion is refused where one rule is broken (§7.2)', () => {
  assert.equal(findNewCounter(respond(), known, ceremony), 6)
  const broken: Readonly<Record<string, Partial<AuthenticatorChoices>>> = {
    ...brokenChoices,
    'the other type': { clientData: { type: 'webauthn.create' } },
    'no person': { flags: flag.userVerified },
    'a backup of a key that cannot be copied': { flags: present | flag.backedUp },
    'octets after the authenticator data': { more: Buffer.alloc(1) },
    'extensions that are missing': { flags: present | hasExtensions },
    'a key that can be copied, and could not before': { flags: present | flag.eligible },
    'a new key that is missing': { flags: present | flag.hasKey },
    'the same counter': { counter: 5 },
    'a smaller counter': { counter: 4 },
    'no counter any more': { counter: 0 },
  }
  for (const [rule, choices] of Object.entries(broken)) {
    assert.equal(findNewCounter(respond(choices), known, ceremony), undefined, rule)
  }
  const sent = respond()
  for (const [rule, members] of Object.entries(brokenMembers)) {
    assert.equal(findNewCounter({ ...sent, ...members }, known, ceremony), undefined, rule)
  }
  const { authenticatorData } = respond({ counter: 7 }).response
  const { clientDataJSON } = respond({ clientData: { more: 1 } }).response
  const { signature } = new SoftwareAuthenticator().respond(challenge, right).response
  for (const signed of [{ authenticatorData }, { clientDataJSON }, { signature }]) {
    const response = { ...sent.response, ...signed }
    assert.equal(findNewCounter({ ...sent, response }, known, ceremony), undefined, JSON.stringify(signed))
  }
  for (const member of ['clientDataJSON', 'authenticatorData', 'signature']) {
    for (const value of values) {
      const response = { ...sent.response, [member]: value }
      assert.equal(findNewCounter({ ...sent, response }, known, ceremony), undefined, `${member}: ${value}`)
    }
  }
  for (const value of values) assert.equal(findNewCounter(value, known, ceremony), undefined)
})

test('an assertion may count from 0, have extensions, and verify the person only where it must', () => {
  assert.equal(findNewCounter(respond({ counter: 0 }), { ...known, counter: 0 }, ceremony), 0)
  assert.equal(findNewCounter(respond({ counter: 1 }), { ...known, counter: 0 }, ceremony), 1)
  const extended = respond({ flags: present | hasExtensions, more: extensions })
  assert.equal(findNewCounter(extended, known, ceremony), 6)
  const backedUp = respond({ flags: present | flag.eligible | flag.backedUp })
  assert.equal(findNewCounter(backedUp, { ...known, isBackupEligible: true }, ceremony), 6)
  const strict = { ...ceremony, isVerificationRequired: true }
  assert.equal(findNewCounter(respond({ isVerified: false }), known, ceremony), 6)
  assert.equal(findNewCounter(respond({ isVerified: false }), known, strict), undefined)
  assert.equal(findNewCounter(respond(), known, strict), 6)
})

test('a key that could be copied at its registration can be so later, and the other way round (§7.2)', () => {
  const eligible = respond({ flags: present | flag.eligible })
  assert.equal(findNewCounter(eligible, known, ceremony), undefined)
  assert.equal(findNewCounter(respond(), { ...known, isBackupEligible: true }, ceremony), undefined)
  assert.equal(findNewCounter(eligible, { ...known, isBackupEligible: true }, ceremony), 6)
})

test('each part of a response has at most 16,384 characters', () => {
  const outcome = (padding: number) => {
    const response = respond({ flags: present | hasExtensions, more: Buffer.alloc(padding) })
    const { length } = response.response.authenticatorData
    return [length, findNewCounter(response, known, ceremony)]
  }
  assert.deepEqual(outcome(12_251), [16_384, 6])
  assert.deepEqual(outcome(12_252), [16_386, undefined])
})

test('a stored key that is damaged is refused', () => {
  const publicKey = Buffer.alloc(77)
  assert.equal(findNewCounter(respond(), { ...known, publicKey }, ceremony), undefined)
})

test('changed octets of an assertion are refused, without an exception', () => {
  for (const createPair of Object.values(keyPairs)) {
    const authenticator = new SoftwareAuthenticator(createPair())
    const sent = authenticator.respond(challenge, right)
    const registered = { ...known, id: sent.id, publicKey: authenticator.publicKey }
    const members = fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature')
    const property = fc.property(
      members,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (member, at, change) => {
        const octets = Buffer.from(sent.response[member], 'base64url')
        const place = at % octets.length
        octets[place] = octets.readUInt8(place) ^ change
        const response = { ...sent.response, [member]: octets.toString('base64url') }
        assert.equal(findNewCounter({ ...sent, response }, registered, ceremony), undefined)
      },
    )
    fc.assert(property, { numRuns: cases(2000) })
  }
})

test('changed octets of a registration never raise an exception', () => {
  const sent = register()
  const members = fc.constantFrom('authenticatorData', 'publicKey')
  const property = fc.property(members, fc.nat(), fc.nat(255), (member, at, octet) => {
    const changed = Buffer.from(sent.response[member], 'base64url')
    changed[at % changed.length] = octet
    const response = { ...sent.response, [member]: changed.toString('base64url') }
    const registered = findRegisteredKey({ ...sent, response }, ceremony)
    assert.ok(registered === undefined || registered.id === id)
  })
  fc.assert(property, { numRuns: cases(5000) })
})

test('any JSON is refused, without an exception', () => {
  const property = fc.property(fc.jsonValue(), (value) => {
    assert.equal(findRegisteredKey(value, ceremony), undefined)
    assert.equal(findNewCounter(value, known, ceremony), undefined)
    assert.equal(findNewCounter({ ...respond(), response: value }, known, ceremony), undefined)
  })
  fc.assert(property, { numRuns: cases(1000) })
})
