/** Names of database objects. PostgreSQL truncates a name after 63 octets. */

import { createHash } from 'node:crypto'

const maxIdentifierLength = 63

/** Returns the name; a longer one is cut and ends in a digest, so that names stay distinct. */
export function shortenIdentifier(text: string): string {
  if (Buffer.byteLength(text) <= maxIdentifierLength) return text
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return `${text.slice(0, 50)}:${digest}`
}
