/** Field lines of responses (RFC 9110 §5.1, §5.5): nothing that could end a line gets into one. */

/**
 * The line with its end; none for what the wire says by itself. Throws where the name is no token,
 * or the value no field value. Of the names whose values change with every item, only what could
 * end the line or is no octet is refused: whatever makes those values leaves no control in them.
 */
export function fieldLine(name: string, value: string): string {
  const known = names.get(name) ?? introduce(name)
  if (known.value === value) return known.line
  switch (known.kind) {
    case 'lasting':
      return keep(known, name, value)
    case 'changing':
      return lineOf(known, name, value)
    case 'of-the-wire':
      return ''
  }
}

interface Name {
  /** Most fields say the same in every response; of some each item has its own. */
  readonly kind: 'lasting' | 'changing' | 'of-the-wire'
  readonly start: string
  /** What it last said, where it is lasting. */
  value: string | undefined
  line: string
}

const changing = ['Content-Location', 'ETag', 'Link', 'Location', 'Request-Id']
const ofTheWire = ['Connection', 'Content-Length', 'Date', 'Keep-Alive', 'Transfer-Encoding']

const names = new Map<string, Name>([
  ...changing.map((name) => [name, named(name, 'changing')] as const),
  ...ofTheWire.map((name) => [name, named(name, 'of-the-wire')] as const),
])

/** More names than a service has, so that it stays bounded whatever a handler makes up. */
const mostNames = 200

function named(name: string, kind: Name['kind']): Name {
  return { kind, start: `${name}: `, value: undefined, line: '' }
}

function introduce(name: string): Name {
  if (!token.test(name)) throw new TypeError(`No field name: '${name}'.`)
  const known = named(name, 'lasting')
  if (names.size < mostNames) names.set(name, known)
  return known
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

function keep(known: Name, name: string, value: string): string {
  if (controls.test(value)) throw new TypeError(`No field value for ${name}.`)
  known.line = lineOf(known, name, value)
  known.value = value
  return known.line
}

function lineOf({ start }: Name, name: string, value: string): string {
  const harmful = value.includes('\n') || value.includes('\r') || value.includes('\0')
  if (harmful || beyondOctets.test(value)) throw new TypeError(`No field value for ${name}.`)
  return `${start}${value}\r\n`
}

/** §5.5: a field value has visible octets, spaces and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
const controls = /[\0-\x08\n-\x1f\x7f]/
const beyondOctets = /[\u0100-\uffff]/
