/** Secrets of webhooks (Standard Webhooks): 32 random octets, encrypted in the database. */

import { randomBytes } from 'node:crypto'
import type { ServicePart } from '../../requests/context/service-part.ts'
import { createValueEncryption } from '../../tools/value-encryption.ts'

const secretLength = 32
const prefix = 'whsec_'

/** Encrypts secrets under a key of the service. An encrypted secret belongs to one webhook. */
export interface SecretEncryption {
  encrypt(webhook: string, secret: string): string
  /** The secret; throws where it was encrypted for another webhook or with another key. */
  decrypt(webhook: string, encrypted: string): string
}

export const webhookSecrets: ServicePart<SecretEncryption> = {
  async open({ store }) {
    const { encrypt, decrypt } = createValueEncryption(await store.loadSecret('webhooks'))
    return {
      encrypt: (webhook, secret) => encrypt(webhook, secretOctets(secret)),
      decrypt: (webhook, encrypted) => `${prefix}${decrypt(webhook, encrypted).toString('base64')}`,
    }
  },
}

/** A new secret in the form that receivers get: `whsec_` and the octets in base64. */
export function createWebhookSecret(): string {
  return `${prefix}${randomBytes(secretLength).toString('base64')}`
}

/** The octets that signatures are made with. */
export function secretOctets(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64')
}
