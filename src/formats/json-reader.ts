/**
 * Reads JSON content strictly (RFC 8259, and I-JSON, RFC 7493): duplicate names and numbers that
 * JSON.parse would silently change are refused.
 */

import { refuse } from '../refusal.ts'
import { scanJson } from './json-limits.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses the content; refuses malformed-content with the position of the fault. */
export function parseJson(content: Uint8Array): unknown {
  const text = decodeUtf8(content)
  const fault = scanJson(text)
  if (fault) throw malformed(`${fault.reason} at character ${fault.at + 1}.`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw malformed(`The content is not valid JSON${placeOf(cause)}.`, cause)
  }
}

/** Where the syntax is wrong, as far as the parser says it at the end of its message. */
function placeOf(fault: unknown): string {
  const { message } = fault as SyntaxError
  if (message === 'Unexpected end of JSON input') return ': it ends too early'
  const [, position] = /at position (\d+) \(line \d+ column \d+\)$/.exec(message) ?? []
  return position === undefined ? '' : ` at character ${Number(position) + 1}`
}

/** The text; refuses malformed-content for octets that are not UTF-8. */
export function decodeUtf8(content: Uint8Array): string {
  try {
    return decoder.decode(content)
  } catch (cause) {
    throw malformed('The content is not valid UTF-8.', cause)
  }
}

function malformed(detail: string, cause?: unknown) {
  return refuse('malformed-content', { detail, cause })
}
