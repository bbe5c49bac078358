/** Field lines of responses (RFC 9110 §5.1, §5.5): nothing that could end a line gets into one. */

/** The line with its end. Throws where the name is no token, or the value no field value. */
export function fieldLine(name: string, value: string): string {
  const last = lastLines.get(name)
  if (last?.value === value) return last.line
  if (last === undefined && !token.test(name)) throw new TypeError(`No field name: '${name}'.`)
  if (isOutsideFieldContent(value)) throw new TypeError(`No field value for ${name}.`)
  const line = `${name}: ${value}\r\n`
  if (last !== undefined) {
    last.value = value
    last.line = line
  } else if (lastLines.size < mostNames) lastLines.set(name, { value, line })
  return line
}

/** Of each name the line it was last asked for: most fields say the same in every response. */
const lastLines = new Map<string, { value: string; line: string }>()

/** More names than a service has, so that it stays bounded whatever a handler makes up. */
const mostNames = 200

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** §5.5: a field value has visible octets, spaces and tabs. */
function isOutsideFieldContent(value: string): boolean {
  for (const characters of outside) if (characters.test(value)) return true
  return false
}

/** Small classes: the engine seeks few characters in many octets at once, which one class prevents. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
const outside = [/[\0-\x08\n-\r]/, /[\x0e-\x1a]/, /[\x1b-\x1f\x7f]/, /[\u0100-\uffff]/]
