/**
 * Secrets of a service, which all nodes share: 32 random octets by name, with which it encrypts and signs. Keys from outside
 * of the database encrypt them there, so that a copy of the database does not have them.
 */

import { hkdfSync, randomBytes } from 'node:crypto'
import { createValueEncryption, type ValueEncryption } from '../tools/value-encryption.ts'
import { type MaybePromise, StoreOpenError } from './store.ts'

/** The secrets as they are stored. */
export interface SecretRows {
  names(): MaybePromise<readonly string[]>
  find(name: string): MaybePromise<Uint8Array | undefined>
  /** Stores the value in the place of the present one, or where there is none. No effect where another write was faster. */
  replace(name: string, value: Uint8Array, present: Uint8Array | undefined): Promise<unknown>
}

const secretLength = 32

/** A key from outside of the database. */
interface SecretKey {
  /** In hexadecimal. It does not tell the key. */
  readonly id: string
  readonly encryption: ValueEncryption
}

/** How a secret is stored: as it is, with the first of the keys, with an older one, or with none of them. */
export type SecretState = 'plain' | 'current' | 'former' | 'unknown'

export class Secrets {
  readonly #rows: SecretRows
  readonly #keys: readonly SecretKey[]

  /** The first of the keys encrypts. Without keys the secrets are stored as they are. */
  constructor(rows: SecretRows, keys: readonly Uint8Array[]) {
    this.#rows = rows
    this.#keys = keys.map(deriveKey)
  }

  /** The secret, made on first use. Throws a StoreOpenError where none of the keys has encrypted it. */
  async load(name: string): Promise<Uint8Array> {
    const known = await this.#rows.find(name)
    if (known !== undefined) return openSecret(this.#keys, name, known)
    await this.#rows.replace(name, this.#seal(name, randomBytes(secretLength)), undefined)
    const created = await this.#rows.find(name)
    if (created === undefined) throw new Error(`The secret '${name}' was stored but is missing`)
    return openSecret(this.#keys, name, created)
  }

  /** Encrypts every secret with the first key. Throws a StoreOpenError where none of the keys has encrypted one. */
  async sealAll(): Promise<void> {
    for (const name of await this.#rows.names()) {
      const stored = await this.#rows.find(name)
      if (stored === undefined) continue
      const secret = openSecret(this.#keys, name, stored)
      const isCurrent = this.#keys.length === 0 || stateOf(this.#keys, stored) === 'current'
      if (!isCurrent) await this.#rows.replace(name, this.#seal(name, secret), stored)
    }
  }

  #seal(name: string, secret: Uint8Array): Uint8Array {
    const [key] = this.#keys
    return key ? Buffer.from(`${key.id}.${key.encryption.encrypt(name, secret)}`) : secret
  }
}

/** The states of stored secrets under these keys. */
export function secretStates(
  stored: Iterable<Uint8Array>,
  keys: readonly Uint8Array[],
): readonly SecretState[] {
  const derived = keys.map(deriveKey)
  return [...stored].map((value) => stateOf(derived, value))
}

/** Other keys than those of the secrets: an operator may use one key for several purposes. */
function deriveKey(key: Uint8Array): SecretKey {
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, '', `restwell secrets ${purpose}`, length))
  return { id: derive('id', 4).toString('hex'), encryption: createValueEncryption(derive('encryption', 32)) }
}

function stateOf(keys: readonly SecretKey[], stored: Uint8Array): SecretState {
  if (isPlain(stored)) return 'plain'
  const at = keys.findIndex(({ id }) => id === keyIdOf(stored))
  return at < 0 ? 'unknown' : at === 0 ? 'current' : 'former'
}

/** Of another length than an encrypted one. */
function isPlain(stored: Uint8Array): boolean {
  return stored.length === secretLength
}

function keyIdOf(stored: Uint8Array): string {
  return Buffer.from(stored).toString().split('.', 1)[0] ?? ''
}

function openSecret(keys: readonly SecretKey[], name: string, stored: Uint8Array): Uint8Array {
  if (isPlain(stored)) return stored
  const id = keyIdOf(stored)
  const key = keys.find((one) => one.id === id)
  if (!key) throw new StoreOpenError(unknownKeyMessage(id))
  const encrypted = Buffer.from(stored)
    .toString()
    .slice(id.length + 1)
  return key.encryption.decrypt(name, encrypted)
}

/** Says how to add a key that is not given. */
function unknownKeyMessage(id: string): string {
  return `The secrets of this database are encrypted with the key ${id}, which RESTWELL_SECRET_KEY does not have. Set it to this key; to change the key, to the new one and this one, separated by a comma.`
}
