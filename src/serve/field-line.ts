/** Field lines of responses (RFC 9110 §5.1, §5.5): nothing that could end a line gets into one. */

/** The lines of one response, in the order they are added. */
export class FieldLines {
  #text = ''
  /** The values that only this response has: looked at together, in the end. */
  #own = ''

  /** Leaves out what the wire says by itself. Throws where it can be no field. */
  add(name: string, value: string): void {
    const known = names.get(name) ?? introduce(name)
    if (known.value === value) this.#text += known.line
    else if (known.kind === 'lasting') this.#text += keep(known, name, value)
    else if (known.kind === 'changing') {
      this.#text += `${known.start}${value}\r\n`
      this.#own += value
    }
  }

  /** All of them, each with its end. Throws where one has no field value. */
  finish(): string {
    if (isFieldValue(this.#own)) return this.#text
    throw new TypeError(`No field value for one of ${changing.join(', ')}.`)
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
  if (!isFieldValue(value)) throw new TypeError(`No field value for ${name}.`)
  known.line = `${known.start}${value}\r\n`
  known.value = value
  return known.line
}

function isFieldValue(text: string): boolean {
  for (const characters of outside) if (characters.test(text)) return false
  return true
}

/**
 * §5.5: a field value has visible octets, spaces and tabs. The rest in small classes, for the engine
 * seeks few characters in many octets at once, and many in one after another.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
const outside = [/[\0-\x08\n-\r]/, /[\x0e-\x1a]/, /[\x1b-\x1f\x7f]/, /[\u0100-\uffff]/]
