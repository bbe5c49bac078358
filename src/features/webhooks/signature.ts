/** Signatures of webhook requests (Standard Webhooks 1.0): HMAC-SHA256 over id, time and content. */

import { createHmac } from 'node:crypto'
import { secretOctets } from './secret-encryption.ts'

export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970 UTC. */
  readonly timestamp: number
  readonly body: string
}

/** The header fields of the request. Each valid secret makes one signature. */
export function signatureFields(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const text = `${id}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', secretOctets(secret)).update(text).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
