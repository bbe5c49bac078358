/** Field lines of responses (RFC 9110 §5.1, §5.5): nothing that could end a line gets into one. */

/** The line with its end. Throws where the name is no token, or the value no field value. */
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

/** Of each name the line it was last asked for: most fields say the same in every response. */
const lastLines = new Map<string, { value: string; line: string }>()

/** More names than a service has, so that it stays bounded whatever a handler makes up. */
const maxNames = 200

/** Those of which each item has its own. */
const uncachedNames: ReadonlySet<string> = new Set([
  'Content-Location',
  'ETag',
  'Link',
  'Location',
  'Request-Id',
])

function formatAndCache(name: string, value: string): string {
  if (!token.test(name)) throw new TypeError(`No field name: '${name}'.`)
  const line = formatCheckedLine(name, value)
  if (lastLines.size < maxNames) lastLines.set(name, { value, line })
  return line
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

function formatCheckedLine(name: string, value: string): string {
  for (const characters of forbiddenCharacters) {
    if (characters.test(value)) throw new TypeError(`No field value for ${name}.`)
  }
  return `${name}: ${value}\r\n`
}

/**
 * §5.5: a field value has visible octets, spaces and tabs. The rest in small classes, for the engine
 * seeks few characters in many octets at once, and many in one after another.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
const forbiddenCharacters = [/[\0-\x08\n-\r]/, /[\x0e-\x1a]/, /[\x1b-\x1f\x7f]/, /[\u0100-\uffff]/]
