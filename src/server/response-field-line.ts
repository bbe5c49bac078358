/** Formats the field lines of responses (RFC 9110 §5.1, §5.5) and rejects invalid names and values. */

/** Returns the line with CRLF. Throws a TypeError when the name or the value is not valid. */
export function formatFieldLine(name: string, value: string): string {
  const last = lastLines.get(name)
  if (last === undefined)
    return uncachedNames.has(name) ? formatCheckedLine(name, value) : formatAndCache(name, value)
  if (last.value !== value) {
    last.line = formatCheckedLine(name, value)
    last.value = value
  }
  return last.line
}

/** The last line of each name: most fields have the same value in every response. */
const lastLines = new Map<string, { value: string; line: string }>()

/** Bounds the cache; larger than the number of names that a service uses. */
const maxNames = 200

/** Fields that differ between items. */
const uncachedNames: ReadonlySet<string> = new Set([
  'Content-Location',
  'ETag',
  'Link',
  'Location',
  'Request-Id',
])

function formatAndCache(name: string, value: string): string {
  if (!token.test(name)) throw new TypeError(`Not a field name: '${name}'.`)
  const line = formatCheckedLine(name, value)
  if (lastLines.size < maxNames) lastLines.set(name, { value, line })
  return line
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

function formatCheckedLine(name: string, value: string): string {
  for (const characters of forbiddenCharacters) {
    if (characters.test(value)) throw new TypeError(`Not a field value for ${name}.`)
  }
  return `${name}: ${value}\r\n`
}

/**
 * §5.5: a field value has visible octets, spaces and tabs. The other characters are in small classes,
 * because V8 searches for a small class in many octets at once.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are intended here
const forbiddenCharacters = [/[\0-\x08\n-\r]/, /[\x0e-\x1a]/, /[\x1b-\x1f\x7f]/, /[\u0100-\uffff]/]
