/**
 * An exchange as text for the recording. A header line, an element or a member that is long and was
 * shown before is replaced by its first place, so that a change shows once.
 */

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { escapeNoncharacters } from '../../src/formats/xml-text.ts'
import type { Symbols } from './symbols.ts'

export interface SentRequest {
  /** `GET /books/1` */
  readonly line: string
  /** The name of the caller. */
  readonly as?: string | undefined
  readonly fields: readonly (readonly [string, string])[]
  readonly content?: string | undefined
}

export interface ReceivedResponse {
  /** `200 OK` */
  readonly status: string
  readonly fields: readonly (readonly [string, string])[]
  readonly octets: Uint8Array
}

export interface RecordedExchange {
  readonly request: SentRequest
  /** Interim responses, and the final one. */
  readonly responses: readonly ReceivedResponse[]
  /** What happened to the connection, where that is not usual. */
  readonly end?: string
}

/** Shorter parts are written again. */
const longPart = 120
const longLine = 80

export interface ExchangeWriter {
  write(exchange: RecordedExchange): string
}

export function createExchangeWriter(symbols: Symbols): ExchangeWriter {
  let number = 0
  const places = new Map<string, string>()
  /** The first place of the text as a reference; undefined: the text is new, and `place` is its place from now on. */
  const refer = (text: string, place: string): string | undefined => {
    const known = places.get(text)
    if (known === undefined) places.set(text, place)
    return known === undefined ? undefined : `⟦= ${known}⟧`
  }
  return {
    write({ request, responses, end }) {
      number += 1
      const own = String(number)
      const lines = [`═══ ${number} ${only(symbols, request.line)}`]
      if (request.as) lines.push(`as ${request.as}`)
      for (const [name, value] of request.fields) lines.push(`${name}: ${only(symbols, value)}`)
      if (request.content !== undefined) lines.push('', visible(only(symbols, beginningOf(request.content))))
      for (const response of responses) lines.push(...responseLines(response, { symbols, refer, place: own }))
      if (end) lines.push(`─── ${end}`)
      return `${lines.join('\n')}\n`
    },
  }
}

function beginningOf(content: string): string {
  return content.length > 2000 ? `${content.slice(0, 100)} … ${content.length} characters` : content
}

function only(symbols: Symbols, text: string): string {
  return symbols.replaceIn([text])[0]!
}

interface Setting {
  readonly symbols: Symbols
  readonly refer: (text: string, place: string) => string | undefined
  /** The number of the exchange. */
  readonly place: string
}

function responseLines({ status, fields, octets }: ReceivedResponse, setting: Setting): string[] {
  const { symbols, refer, place } = setting
  const named = new Map(fields.map(([name, value]) => [name.toLowerCase(), value]))
  const requestId = named.get('request-id')
  if (requestId) symbols.name(requestId, 'request')
  const tag = /"(.*)"/.exec(named.get('etag') ?? '')?.[1]
  if (tag) symbols.addTag(tag)
  const type = named.get('content-type') ?? ''
  const coding = named.get('content-coding') ?? named.get('content-encoding')
  const [replaced = '', ...values] = symbols.replaceIn([
    textOf(octets, type, coding),
    ...fields.map(([name, value]) => fieldText(name, value, coding)),
  ])
  const content = type === 'text/csv' ? replaced.replaceAll(guard, '') : replaced
  const guards = replaced.length - content.length
  const lines = [`─── ${status}`]
  const protection: string[] = []
  for (const [index, [name]] of fields.entries()) {
    // One link on a line.
    const value =
      guards > 0 && name === 'Content-Length' ? String(Number(values[index]) - guards) : values[index]!
    const line = `${name}: ${visible(value).replaceAll(', <', ',\n  <')}`
    const known = line.length < longLine ? undefined : refer(line, place)
    const written = known ? `${name}: ${known}` : line
    if (protectionFields.has(name.toLowerCase())) protection.push(written)
    else lines.push(...together(protection.splice(0), setting), written)
  }
  lines.push(...together(protection, setting))
  if (octets.length > 0) lines.push('', visible(layOut(content, type, setting)))
  return lines
}

/** In CSV a version that happens to begin with `-` has an apostrophe before it. */
const guard = /'(?=‹version )/g

/** Fields that most responses have with the same values, one after the other. */
const protectionFields = new Set([
  'x-content-type-options',
  'referrer-policy',
  'cross-origin-resource-policy',
  'content-security-policy',
])

/** The lines, or the place where the same lines were shown before. */
function together(lines: readonly string[], { refer, place }: Setting): readonly string[] {
  const known =
    lines.length > 1 ? refer(lines.join('\n'), `${place} ${lines[0]!.split(':', 1)[0]}`) : undefined
  return known ? [`${known} and ${lines.length - 1} more`] : lines
}

/** The values of fields that differ in each run. */
function fieldText(name: string, value: string, coding: string | undefined): string {
  switch (name.toLowerCase()) {
    case 'server-timing':
      return '‹timing›'
    // node:http dates a stream by the clock of the machine.
    case 'date':
      return /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(value) ? '‹date›' : value
    // The length after compression depends on the values in place of which symbols are written.
    case 'content-length':
      return coding ? `‹length in ${coding}›` : value
    default:
      return value
  }
}

function textOf(octets: Uint8Array, type: string, coding: string | undefined): string {
  const content = decode(octets, coding)
  if (/^(?:image|audio|video)\/|octet-stream/.test(type) && !type.includes('svg')) {
    return `(base64) ${content.toString('base64')}`
  }
  return content.toString('utf8')
}

function decode(octets: Uint8Array, coding: string | undefined): Buffer {
  if (octets.length === 0) return Buffer.alloc(0)
  if (coding === 'gzip') return gunzipSync(octets)
  if (coding === 'br') return brotliDecompressSync(octets)
  if (coding === 'zstd') return zstdDecompressSync(octets)
  return Buffer.from(octets)
}

/** Shows characters that an editor or a version control system could change. */
function visible(text: string): string {
  return text
    .replaceAll('\r', '␍')
    .replace(/[^\P{Cc}\t\n]/gu, (character) => `␛${character.charCodeAt(0).toString(16)};`)
    .replace(/ $/gm, '␠')
    .replace(/\n$/, '\n⏎')
}

function layOut(text: string, type: string, setting: Setting): string {
  if (/[/+]json\b/.test(type)) return layOutJson(text, setting)
  if (/html|xml/.test(type)) return layOutMarkup(text, setting)
  return layOutText(text, setting)
}

/** Text with references in place of the paragraphs that were shown before. */
function layOutText(text: string, { refer, place }: Setting): string {
  const written = text.split('\n\n').map((paragraph, index) => {
    const known = paragraph.length < longPart ? undefined : refer(paragraph, `${place} ¶${index + 1}`)
    return known ?? paragraph
  })
  return written.join('\n\n')
}

/** JSON in lines, where no octet is lost by that; else as it is. */
function layOutJson(text: string, { refer, place }: Setting): string {
  const value = parsed(text)
  // The escapes of OpenAPI show in its length.
  const json = JSON.stringify(value)
  if (json !== text && escapeNoncharacters(json) !== text) return text
  const write = (part: unknown, pointer: string, indent: string): string => {
    const compact = JSON.stringify(part)
    if (typeof part !== 'object' || part === null) return compact
    if (compact.length >= longPart) {
      const known = refer(compact, `${place} ${pointer}`.trimEnd())
      if (known) return known
    }
    if (indent.length + compact.length <= 100) return compact
    const inner = `${indent} `
    const isArray = Array.isArray(part)
    const members = Object.entries(part).map(([name, member]) => {
      const written = write(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, inner)
      return `${inner}${isArray ? '' : `${JSON.stringify(name)}:`}${written}`
    })
    const [open, close] = isArray ? '[]' : '{}'
    return `${open}\n${members.join(',\n')}\n${indent}${close}`
  }
  return write(value, '', '')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** HTML and XML with references in place of the elements that were shown before. */
function layOutMarkup(text: string, { refer, place }: Setting): string {
  const elements = elementsIn(text)
  const counts = new Map<string, number>()
  let written = ''
  let end = 0
  for (const element of elements) {
    // Within an element that was replaced.
    if (element.start < end || element.end - element.start < longPart) continue
    const count = (counts.get(element.name) ?? 0) + 1
    counts.set(element.name, count)
    const known = refer(
      text.slice(element.start, element.end),
      `${place} <${element.name}>${count > 1 ? ` ${count}` : ''}`,
    )
    if (known === undefined) continue
    written += text.slice(end, element.start) + known
    end = element.end
  }
  return written + text.slice(end)
}

interface Element {
  readonly name: string
  readonly start: number
  end: number
}

/** The elements that end, in the order of their beginnings. */
function elementsIn(text: string): readonly Element[] {
  const open: Element[] = []
  const all: Element[] = []
  for (const match of text.matchAll(/<(\/?)([A-Za-z][\w:-]*)(?:"[^"]*"|'[^']*'|[^<>"'])*?(\/?)>/g)) {
    const [tag, slash, name = '', empty] = match
    if (slash) {
      const last = open.findLastIndex((element) => element.name === name)
      if (last < 0) continue
      open[last]!.end = match.index + tag.length
      open.length = last
    } else if (!empty && !voidElements.has(name)) {
      const element = { name, start: match.index, end: 0 }
      open.push(element)
      all.push(element)
    }
  }
  return all.filter((element) => element.end > 0)
}
