/** Secrets of webhooks (Standard Webhooks): 32 random octets, encrypted in the database. */

import { randomBytes } from 'node:crypto'
import { createValueSealing } from '../access/value-sealing.ts'

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
  const { seal, open } = createValueSealing(key)
  return {
    seal: (webhook, secret) => seal(webhook, secretOctets(secret)),
    open: (webhook, sealed) => `${prefix}${open(webhook, sealed).toString('base64')}`,
  }
}
