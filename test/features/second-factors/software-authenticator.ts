/** An authenticator in software (WebAuthn Level 3), whose key, host, origin, counter and flags a test chooses. */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

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
  /** What the authenticator data has instead of the new key. */
  readonly encodedKey?: Buffer
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
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

/** The identifiers of the algorithms (RFC 9053 §2, RFC 8812 §2) by the type of their keys. */
const algorithms: Readonly<Record<string, number>> = { ec: -7, ed25519: -8, rsa: -257 }

export class SoftwareAuthenticator {
  readonly id = randomBytes(16)
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
  readonly algorithm: number | undefined
  readonly #key: KeyObject

  constructor({ privateKey, publicKey }: KeyPair = keyPairs.ES256()) {
    this.#key = privateKey
    this.publicKey = publicKey.export({ type: 'spki', format: 'der' })
    this.algorithm = algorithms[String(publicKey.asymmetricKeyType)]
  }

  /** The response to `navigator.credentials.create()`, without attestation. */
  register(challenge: string, choices: AuthenticatorChoices) {
    const { id = this.id, encodedKey = Buffer.alloc(77, 1), more = Buffer.alloc(0) } = choices
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const key = Buffer.concat([Buffer.alloc(16), length, id, encodedKey])
    const data = Buffer.concat([authenticatorData(choices, flag.hasKey), key, more])
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', challenge, choices).toString('base64url'),
      authenticatorData: data.toString('base64url'),
      publicKey: this.publicKey.toString('base64url'),
      publicKeyAlgorithm: this.algorithm,
      // Not read.
      attestationObject: 'AAAA',
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
