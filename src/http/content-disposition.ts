/** Content-Disposition (RFC 6266): the name of a file in a request, and the field of a response. */

import { endOfToken, formatQuotedString, parseFieldParameters } from './field-value.ts'
import { formatExtendedValue } from './percent-encoding.ts'

export interface ContentDisposition {
  /** `attachment`, `inline` or `form-data`, in lower case. */
  readonly type: string
  /** The name of the input of a form; undefined where there is none. */
  readonly name: string | undefined
  /** `filename*` where it is valid, else `filename` (§4.3). */
  readonly filename: string | undefined
}

/** Parses the value; undefined if it is malformed. Octets beyond ASCII are read as UTF-8, which browsers send. */
export function parseContentDisposition(fieldValue: string): ContentDisposition | undefined {
  const end = endOfToken(fieldValue, 0)
  if (end === 0) return undefined
  const parameters = parseFieldParameters(fieldValue, end)
  if (!parameters) return undefined
  const extended = parameters.get('filename*')
  return {
    type: fieldValue.slice(0, end).toLowerCase(),
    name: asUtf8(parameters.get('name')),
    filename:
      (extended === undefined ? undefined : parseExtendedValue(extended)) ??
      asUtf8(parameters.get('filename')),
  }
}

/** Field values arrive as Latin-1; octets that are valid UTF-8 are meant as such. */
function asUtf8(text: string | undefined): string | undefined {
  if (text === undefined || /^[\x20-\x7e]*$/.test(text)) return text
  try {
    return strictUtf8.decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `UTF-8''na%C3%AFve.txt` (RFC 8187 §3.2); undefined for other charsets and invalid octets. */
function parseExtendedValue(text: string): string | undefined {
  const parts = /^UTF-8'[^']*'((?:%[0-9A-F]{2}|[!#$&+.^_`|~0-9A-Z-])*)$/i.exec(text)
  if (!parts) return undefined
  try {
    return decodeURIComponent(parts[1] ?? '')
  } catch {
    return undefined
  }
}

/** The field of a response. A name beyond ASCII is sent in both forms (§4.3, appendix D). */
export function formatContentDisposition(type: 'inline' | 'attachment', filename: string): string {
  const ascii = /^[ -~]*$/.test(filename)
  // Some recipients decode `%41` in a plain filename, and none agree about backslashes.
  const plain = filename.replace(/[%"\\]/g, '_')
  const quoted = `${type}; filename=${formatQuotedString(plain)}`
  if (ascii && plain === filename) return quoted
  return `${quoted}; filename*=${formatExtendedValue(filename)}`
}
