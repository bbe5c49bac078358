/** Secrets of webhooks (Standard Webhooks): 32 random octets, encrypted in the database. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
const secretLength = 32
const prefix = 'whsec_'

/** Encrypts secrets under a key of the service. A sealed secret belongs to one webhook. */
export interface SecretSealing {
  seal(webhook: string, secret: string): string
  /** The secret; throws where it was sealed for another webhook or with another key. */
  open(webhook: string, sealed: string): string
}

/** A new secret in the form that receivers get: `whsec_` and the octets in base64. */
export function createWebhookSecret(): string {
  return `${prefix}${randomBytes(secretLength).toString('base64')}`
}

/** The octets that signatures are made with. */
export function secretOctets(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64')
}

export function createSecretSealing(key: Uint8Array): SecretSealing {
  return {
    seal(webhook, secret) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(webhook))
      const sealed = [nonce, cipher.update(secretOctets(secret)), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(sealed).toString('base64url')
    },
    open(webhook, sealed) {
      const octets = Buffer.from(sealed, 'base64url')
      const nonce = octets.subarray(0, nonceLength)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
      decipher.setAAD(Buffer.from(webhook)).setAuthTag(octets.subarray(-tagLength))
      const secret = [decipher.update(octets.subarray(nonceLength, -tagLength)), decipher.final()]
      return `${prefix}${Buffer.concat(secret).toString('base64')}`
    },
  }
}
