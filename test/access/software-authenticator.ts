/** An authenticator in software (WebAuthn Level 3), whose host, origin, counter and flags a test chooses. */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface AuthenticatorChoices {
  readonly origin: string
  readonly host: string
  readonly counter: number
  /** Whether the person was verified, such as by a fingerprint. */
  readonly isVerified?: boolean
}

const userPresent = 0x01
const userVerified = 0x04
const hasKey = 0x40

export class SoftwareAuthenticator {
  readonly id = randomBytes(16)
  readonly #key: KeyObject
  readonly #publicKey: Buffer

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#key = privateKey
    // COSE_Key (RFC 9052 §7): EC2, ES256, P-256, x and y.
    this.#publicKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
  }

  /** The response to `navigator.credentials.create()`, without attestation. */
  register(challenge: string, choices: AuthenticatorChoices) {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const key = Buffer.concat([Buffer.alloc(16), length, this.id, this.#publicKey])
    const data = Buffer.concat([authenticatorData(choices, hasKey), key])
    const attestation = Buffer.concat([
      Buffer.from('a3', 'hex'),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from('a0', 'hex'),
      cborText('authData'),
      Buffer.from([0x58, data.length]),
      data,
    ])
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', challenge, choices).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** The response to `navigator.credentials.get()`. */
  respond(challenge: string, choices: AuthenticatorChoices) {
    const client = clientData('webauthn.get', challenge, choices)
    const data = authenticatorData(choices, 0)
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#key).toString('base64url'),
    })
  }

  #credential(response: object) {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

function authenticatorData({ host, counter, isVerified = true }: AuthenticatorChoices, more: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  const flags = userPresent | (isVerified ? userVerified : 0) | more
  return Buffer.concat([createHash('sha256').update(host).digest(), Buffer.from([flags]), count])
}

function clientData(type: string, challenge: string, { origin }: AuthenticatorChoices): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
}
