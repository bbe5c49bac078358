/** An authenticator in software (WebAuthn Level 3), whose key, host, origin, counter and flags a test chooses. */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { encodeCbor } from './cbor-encoder.ts'

export interface AuthenticatorChoices {
  readonly origin: string
  readonly host: string
  readonly counter: number
  /** Whether the person was verified, such as by a fingerprint. */
  readonly isVerified?: boolean
  /** Flags instead of those that follow from the other choices. */
  readonly flags?: number
  /** Other members of the client data, or others of their values. */
  readonly clientData?: object
  /** Octets after the authenticator data, such as extensions. */
  readonly more?: Buffer
  /** The id of the new key in the authenticator data. */
  readonly id?: Buffer
  /** COSE_Key. */
  readonly publicKey?: Buffer
  /** Members of the attestation object beside `authData`. */
  readonly attestation?: Readonly<Record<string, unknown>>
}

export const flag = { userPresent: 0x01, userVerified: 0x04, eligible: 0x08, backedUp: 0x10, hasKey: 0x40 }
export const hasExtensions = 0x80

interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** A new key pair for each algorithm that services offer. */
export const keyPairs = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

export class SoftwareAuthenticator {
  readonly id = randomBytes(16)
  /** COSE_Key. */
  readonly publicKey: Buffer
  readonly #key: KeyObject

  constructor({ privateKey, publicKey }: KeyPair = keyPairs.ES256()) {
    this.#key = privateKey
    this.publicKey = encodeCbor(coseParameters(publicKey))
  }

  /** The response to `navigator.credentials.create()`, without attestation. */
  register(challenge: string, choices: AuthenticatorChoices) {
    const { id = this.id, publicKey = this.publicKey, more = Buffer.alloc(0) } = choices
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const key = Buffer.concat([Buffer.alloc(16), length, id, publicKey])
    const authData = Buffer.concat([authenticatorData(choices, flag.hasKey), key, more])
    const attestation = { fmt: 'none', attStmt: new Map(), ...choices.attestation, authData }
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', challenge, choices).toString('base64url'),
      attestationObject: encodeCbor(new Map(Object.entries(attestation))).toString('base64url'),
      transports: ['internal'],
    })
  }

  /** The response to `navigator.credentials.get()`. */
  respond(challenge: string, choices: AuthenticatorChoices) {
    const client = clientData('webauthn.get', challenge, choices)
    const data = Buffer.concat([authenticatorData(choices, 0), choices.more ?? Buffer.alloc(0)])
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    const digest = this.#key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign(digest, signed, this.#key).toString('base64url'),
    })
  }

  #credential<Response extends object>(response: Response) {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

/** COSE_Key (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4): the key type, the algorithm, and the parameters from -1 on. */
function coseParameters(publicKey: KeyObject): ReadonlyMap<number, unknown> {
  const { x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const octets = (text: string) => Buffer.from(text, 'base64url')
  const [keyType, algorithm, ...others]: readonly unknown[] =
    {
      ed25519: [1, -8, 6, octets(x)],
      ec: [2, -7, 1, octets(x), octets(y)],
      rsa: [3, -257, octets(n), octets(e)],
    }[String(publicKey.asymmetricKeyType)] ?? []
  const numbered = others.map((value, index) => [-1 - index, value] as const)
  return new Map<number, unknown>([[1, keyType], [3, algorithm], ...numbered])
}

function authenticatorData(choices: AuthenticatorChoices, more: number): Buffer {
  const { host, counter, isVerified = true } = choices
  const { flags = flag.userPresent | (isVerified ? flag.userVerified : 0) | more } = choices
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(host).digest(), Buffer.from([flags]), count])
}

function clientData(type: string, challenge: string, choices: AuthenticatorChoices): Buffer {
  const { origin, clientData } = choices
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...clientData }))
}
