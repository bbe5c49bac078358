/**
 * Decodes XML content (RFC 7303 §3): by its byte order mark, else by the charset of Content-Type,
 * else by its declaration, else as UTF-8. Only UTF-8 and UTF-16 are supported.
 */

import { refuse } from '../refusal.ts'

/** Decodes the content; refuses malformed-content for invalid text or another encoding. */
export function decodeXml(content: Uint8Array, charset: string | undefined): string {
  const marked = findByteOrderMark(content)
  if (marked === undefined && charset === undefined) requireSupportedDeclaration(content)
  try {
    return new TextDecoder(marked ?? 'utf-8', { fatal: true }).decode(content)
  } catch (cause) {
    throw refuse('malformed-content', { detail: 'The content is not valid Unicode.', cause })
  }
}

function findByteOrderMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

/** Without a byte order mark, the declaration is ASCII. */
function requireSupportedDeclaration(content: Uint8Array): void {
  const start = Buffer.from(content.subarray(0, 200)).toString('latin1')
  const named = /^(?:\xEF\xBB\xBF)?<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1]
  if (named === undefined || /^(?:utf-8|us-ascii)$/i.test(named)) return
  throw refuse('malformed-content', {
    detail: 'The encoding of the XML is not supported. Use UTF-8 or UTF-16.',
  })
}
