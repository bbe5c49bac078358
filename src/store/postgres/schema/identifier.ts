/** Names of what the store makes: PostgreSQL cuts a name after 63 octets. */

import { createHash } from 'node:crypto'

const maxIdentifierLength = 63

/** What is longer ends in a digest of the whole, so that no two become the same. */
export function shortenIdentifier(text: string): string {
  if (Buffer.byteLength(text) <= maxIdentifierLength) return text
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return `${text.slice(0, 50)}:${digest}`
}
