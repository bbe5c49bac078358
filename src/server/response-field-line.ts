/** Field lines of responses (RFC 9110 §5.1, §5.5): nothing that could end a line gets into one. */

/** The line with its end. Throws where the name is no token, or the value no field value. */
export function fieldLine(name: string, value: string): string {
  const last = lastLines.get(name)
  if (last === undefined) return changing.has(name) ? checkedLine(name, value) : keep(name, value)
  if (last.value !== value) {
    last.line = checkedLine(name, value)
    last.value = value
  }
  return last.line
}

/** Of each name the line it was last asked for: most fields say the same in every response. */
const lastLines = new Map<string, { value: string; line: string }>()

/** More names than a service has, so that it stays bounded whatever a handler makes up. */
const mostNames = 200

/** Those of which each item has its own. */
const changing: ReadonlySet<string> = new Set([
  'Content-Location',
  'ETag',
  'Link',
  'Location',
  'Request-Id',
])

function keep(name: string, value: string): string {
  if (!token.test(name)) throw new TypeError(`No field name: '${name}'.`)
  const line = checkedLine(name, value)
  if (lastLines.size < mostNames) lastLines.set(name, { value, line })
  return line
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

function checkedLine(name: string, value: string): string {
  for (const characters of outside) {
    if (characters.test(value)) throw new TypeError(`No field value for ${name}.`)
  }
  return `${name}: ${value}\r\n`
}

/**
 * §5.5: a field value has visible octets, spaces and tabs. The rest in small classes, for the engine
 * seeks few characters in many octets at once, and many in one after another.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
const outside = [/[\0-\x08\n-\r]/, /[\x0e-\x1a]/, /[\x1b-\x1f\x7f]/, /[\u0100-\uffff]/]
