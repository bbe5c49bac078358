/**
 * Reads multipart content (RFC 2046 §5.1) part by part, as it arrives. At most a chunk, a delimiter and
 * the header section of a part are in memory.
 */

import { trimWhitespace } from './field-value.ts'
import type { Fields } from './message.ts'

/** The media type of a form with files (RFC 7578). */
export const formDataType = 'multipart/form-data'

export interface MultipartPart {
  /** The header fields, with names in lower case. */
  readonly fields: Fields
  /** The octets of the part. Take them before the next part; what is left is skipped then. */
  readonly content: AsyncIterable<Uint8Array>
}

export interface MultipartLimits {
  readonly parts: number
  /** Octets of the header section of a part. */
  readonly headerSection: number
}

export const defaultMultipartLimits: MultipartLimits = Object.freeze({ parts: 1000, headerSection: 8192 })

/** The content is malformed, or exceeds a limit. The message tells the client. */
export class MultipartFault extends Error {
  readonly reason: 'malformed' | 'too-large'

  constructor(reason: MultipartFault['reason'], message: string) {
    super(message)
    this.name = 'MultipartFault'
    this.reason = reason
  }
}

/** Yields the parts in order. Throws a MultipartFault. */
export async function* readMultipart(
  octets: AsyncIterable<Uint8Array>,
  boundary: string,
  limits: MultipartLimits = defaultMultipartLimits,
): AsyncGenerator<MultipartPart> {
  const input = new DelimitedInput(octets, boundary)
  // Text before the first delimiter is ignored (§5.1.1).
  await input.skipToDelimiter()
  for (let count = 1; !(await input.isLastDelimiter()); count += 1) {
    if (count > limits.parts) throw tooLarge(`The content has more than ${limits.parts} parts.`)
    const fields = parseFields(await input.readHeaderSection(limits.headerSection))
    yield { fields, content: input.readContent() }
    await input.skipToDelimiter()
  }
}

/** §5.1.1: 1 to 70 characters. The last one is not a space. */
export function isBoundary(text: string | undefined): text is string {
  return text !== undefined && /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/.test(text)
}

class DelimitedInput {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #delimiter: Buffer
  /** Octets that have arrived and are not taken yet. The first delimiter needs no line break before it. */
  #buffer: Buffer = Buffer.from('\r\n')
  /** Whether the input is at the delimiter that ends a part. */
  #isAtDelimiter = false

  constructor(octets: AsyncIterable<Uint8Array>, boundary: string) {
    this.#source = octets[Symbol.asyncIterator]()
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  async skipToDelimiter(): Promise<void> {
    for await (const _ of this.readContent());
  }

  /** Yields the octets before the next delimiter. */
  async *readContent(): AsyncGenerator<Uint8Array> {
    while (!this.#isAtDelimiter) {
      const at = this.#buffer.indexOf(this.#delimiter)
      if (at >= 0) {
        this.#isAtDelimiter = true
        const last = this.#take(at)
        if (last.length > 0) yield last
        return
      }
      // The end of the buffer may be the beginning of the delimiter.
      const surely = this.#buffer.length - this.#delimiter.length + 1
      if (surely > 0) yield this.#take(surely)
      await this.#receive()
    }
  }

  /** Takes the delimiter. Whether it is the last one (§5.1.1). */
  async isLastDelimiter(): Promise<boolean> {
    await this.#require(this.#delimiter.length + 2)
    this.#take(this.#delimiter.length)
    this.#isAtDelimiter = false
    if (this.#buffer.subarray(0, 2).toString('latin1') === '--') return true
    const line = await this.#takeLine(maxPadding, 'The line of a boundary is too long.')
    if (trimWhitespace(line) !== '') throw malformed('A boundary is followed by other text.')
    return false
  }

  /** Takes the lines up to the empty one. */
  async readHeaderSection(limit: number): Promise<readonly string[]> {
    const lines: string[] = []
    for (let left = limit; !(await this.#startsWith(lineBreak)); ) {
      const line = await this.#takeLine(left, `The header section of a part has more than ${limit} octets.`)
      lines.push(line)
      left = Math.max(0, left - line.length - 2)
    }
    // The content may be empty; then the line break of the empty line begins its delimiter.
    if (!(await this.#startsWith(this.#delimiter))) this.#take(lineBreak.length)
    return lines
  }

  async #startsWith(octets: Buffer): Promise<boolean> {
    await this.#require(octets.length)
    return this.#buffer.subarray(0, octets.length).equals(octets)
  }

  async #takeLine(limit: number, detail: string): Promise<string> {
    for (;;) {
      const at = this.#buffer.indexOf(lineBreak)
      const end = this.#buffer.indexOf('\n')
      // RFC 2046 §4.1.1: only CRLF ends a line.
      if (end >= 0 && (at < 0 || end !== at + 1)) throw malformed('A line of a part ends without CRLF.')
      if (at > limit || (at < 0 && this.#buffer.length > limit + 1)) throw tooLarge(detail)
      if (at >= 0) return this.#take(at + 2).toString('latin1', 0, at)
      await this.#receive()
    }
  }

  #take(octets: number): Buffer {
    const taken = this.#buffer.subarray(0, octets)
    this.#buffer = this.#buffer.subarray(octets)
    return taken
  }

  async #require(octets: number): Promise<void> {
    while (this.#buffer.length < octets) await this.#receive()
  }

  async #receive(): Promise<void> {
    const { done, value } = await this.#source.next()
    if (done) throw malformed('The content ends before its last boundary.')
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(value) : Buffer.concat([this.#buffer, value])
  }
}

const lineBreak = Buffer.from('\r\n')
/** Spaces after a boundary, which some gateways add. */
const maxPadding = 100

function parseFields(lines: readonly string[]): Fields {
  const fields: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):(.*)$/.exec(line) ?? []
    if (name === '') throw malformed('A part has a malformed header field.')
    fields[name.toLowerCase()] ??= trimWhitespace(value)
  }
  return fields
}

function malformed(message: string): MultipartFault {
  return new MultipartFault('malformed', message)
}

function tooLarge(message: string): MultipartFault {
  return new MultipartFault('too-large', message)
}
