/**
 * Reads application/x-www-form-urlencoded, which the forms of HTML pages send. The model gives each
 * value its type; a value that does not match stays text, which validation refuses.
 */

import { isUtf8 } from 'node:buffer'
import { carriedFields, fieldPointer } from '../definition/carried-fields.ts'
import { findContentField } from '../definition/current-password.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import { isEqual } from '../http/json-patch.ts'
import { parseQueryString, type QueryPair } from '../http/query-string.ts'
import { type ContentFault, invalidContent, Refusal, refuse } from '../refusal.ts'
import { isOriginal, originalsName, parseOriginals } from './form-originals.ts'
import type { Format, ReadOptions } from './format.ts'
import { parseJson } from './json-reader.ts'
import { type DecimalSign, findDecimalSign, isNumber, readNumber } from './written-number.ts'

export const formContent: Format = {
  name: 'form',
  mediaType: 'application/x-www-form-urlencoded',
  viewKinds: new Set(),
  read: parseForm,
}

const maxNames = 1000
const maxListItems = 10_000
/** A list may have one pair for each item. */
const maxPairs = maxNames + maxListItems

/** Parses the pairs in order; refuses malformed encoding, JSON sent as a form, and too many pairs. */
export function parseFormPairs(content: Uint8Array): readonly QueryPair[] {
  if (isJson(content)) {
    throw refuse('invalid-content', {
      detail:
        'The content is JSON, but its Content-Type is application/x-www-form-urlencoded. ' +
        'Send it with Content-Type: application/json.',
    })
  }
  if (hasMorePairs(content, maxPairs)) {
    throw refuse('malformed-content', { detail: `The form has more than ${maxPairs} values.` })
  }
  const pairs = isUtf8(content) ? parseQueryString(Buffer.from(content).toString()) : undefined
  if (pairs) return pairs
  throw refuse('malformed-content', { detail: 'The form is not valid percent-encoded UTF-8.' })
}

/** `curl -d` sends JSON as a form; no name of an input begins with `{` or `[`. */
function isJson(content: Uint8Array): boolean {
  const first = content.find((octet) => !jsonSpace.has(octet))
  return first === 0x7b || first === 0x5b
}

/** Whitespace of JSON (RFC 8259 §2). */
const jsonSpace: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Counts before decoding, and only up to the limit. */
function hasMorePairs(content: Uint8Array, limit: number): boolean {
  let at = -1
  for (let pairs = 1; pairs <= limit; pairs += 1) {
    at = content.indexOf(AMPERSAND, at + 1)
    if (at < 0) return false
  }
  return true
}

const AMPERSAND = 0x26

/**
 * Parses a form to the members of an item. A list has one item on each line of `name`, or one in
 * each `name[]`. Names that begin with `_` belong to the form itself.
 */
export function parseForm(content: Uint8Array, options: ReadOptions): unknown {
  return parseFormMembers(parseFormPairs(content), options)
}

/** Like `parseForm`, for pairs that are parsed already. */
export function parseFormMembers(
  sent: readonly QueryPair[],
  { resource, patch }: Pick<ReadOptions, 'resource' | 'patch'>,
): Readonly<Record<string, JsonValue | undefined>> {
  const faults: ContentFault[] = []
  const members = new Map<string, JsonValue | undefined>()
  const originals = parseOriginals(sent)
  const reading = { faults, decimal: findDecimalSign(sent) }
  const named = groupByName(sent)
  if (named.size > maxNames) {
    throw refuse('malformed-content', { detail: `The form has more than ${maxNames} names.` })
  }
  for (const [name, pairs] of named) {
    const field = findContentField(resource, name) ?? findCarriedField(resource, name)
    requireOneValue(field, pairs)
    const value = parseMember(field, pairs, reading)
    if (patch && field && isOriginal(originals, field, value)) continue
    // An emptied field is removed; an empty password keeps the current one.
    if (value !== undefined || (patch && field && !field.kind.isHashed)) members.set(name, value)
  }
  if (faults.length > 0) throw invalidContent([...faults, ...otherFaults(resource, members, faults)])
  gatherCarried(resource, members)
  return Object.fromEntries(members)
}

function findCarriedField(resource: ResourceModel, name: string): FieldModel | undefined {
  return carriedFields(resource).find(({ field }) => field.name === name)?.field
}

/** Makes one member of the values of a carried item; none where they are as the form had them. */
function gatherCarried({ nested }: ResourceModel, members: Map<string, JsonValue | undefined>): void {
  for (const { name, target, isOne } of nested) {
    if (!isOne) continue
    const prefix = `${name}.`
    const own = [...members].filter(([member]) => member.startsWith(prefix))
    const item = own.map(([member, value]) => [member.slice(prefix.length), value] as const)
    for (const [member] of own) members.delete(member)
    if (item.some(([member, value]) => isFilled(target.fieldByName.get(member), value))) {
      members.set(name, Object.fromEntries(item) as JsonValue)
    }
  }
}

/** Whether a person has entered the value: it is neither empty nor the default. */
function isFilled(field: FieldModel | undefined, value: JsonValue | undefined): boolean {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return false
  return field?.default === undefined || !isEqual(value, field.default)
}

/** Refuses 400 where a field that takes one value is repeated, as for a repeated name in JSON. */
function requireOneValue(field: FieldModel | undefined, pairs: readonly QueryPair[]): void {
  if (!field || field.kind.shape === 'list' || pairs.length === 1) return
  throw refuse('malformed-content', {
    detail: `The form has ${pairs.length} values of '${field.name}', which takes one.`,
  })
}

/** The faults of the other fields of the form, so that one text that is no JSON does not hide them. */
function otherFaults(
  resource: ResourceModel,
  members: ReadonlyMap<string, JsonValue | undefined>,
  known: readonly ContentFault[],
): readonly ContentFault[] {
  const isKnown = ({ pointer }: Pick<ContentFault, 'pointer'>) => known.some((one) => one.pointer === pointer)
  const sent = [...members].filter(([name, value]) => value !== undefined && resource.fieldByName.has(name))
  const missing = resource.fields
    .filter((field) => members.has(field.name) && members.get(field.name) === undefined)
    .filter((field) => field.required && field.default === undefined)
    .map(({ name }) => ({ pointer: `/${name}`, rule: 'required', detail: 'This field is required.' }))
  const invalid = resource.validate(Object.fromEntries(sent) as Readonly<Record<string, JsonValue>>)
  return [...missing, ...invalid].filter((fault) => !isKnown(fault))
}

/** The name of the hidden input with the name of the action that the form sends. */
export const formActionName = '_action'

/** Whether the form edits an item, and has its original values. */
export function isEditForm(pairs: readonly QueryPair[]): boolean {
  const values = new Map(pairs)
  return values.get(formActionName) === 'default' && values.has(originalsName)
}

/** The names of the fields that a person changed in a form that edits an item; undefined for other forms. */
export function findChangedNames(
  content: Uint8Array,
  resource: ResourceModel,
): readonly string[] | undefined {
  const pairs = parseFormPairs(content)
  return isEditForm(pairs) ? Object.keys(parseFormMembers(pairs, { resource, patch: true })) : undefined
}

/** The value of one field, whatever it was before; undefined where the form has none. */
export function parseFormField(field: FieldModel, sent: readonly QueryPair[]): JsonValue | undefined {
  return parseMember(field, groupByName(sent).get(field.name) ?? [], readingOf(sent))
}

/** The values of all known fields that the form has, changed or not. */
export function parseFormValues(
  { fieldByName }: ResourceModel,
  sent: readonly QueryPair[],
): ReadonlyMap<FieldModel, JsonValue | undefined> {
  const values = new Map<FieldModel, JsonValue | undefined>()
  const reading = readingOf(sent)
  for (const [name, pairs] of groupByName(sent)) {
    const field = fieldByName.get(name)
    if (field) values.set(field, parseMember(field, pairs, reading))
  }
  return values
}

/** The name of the input that chooses between the current value of a field and the one in the form. */
export function choiceName({ name }: FieldModel): string {
  return `${choicePrefix}${name}`
}

const choicePrefix = '_keep.'
/** The value of that input which leaves the field as it is. */
export const keepCurrent = 'current'

/** Leaves out the names of the form itself, and the fields that the person chose to leave as they are. */
function groupByName(pairs: readonly QueryPair[]): ReadonlyMap<string, readonly QueryPair[]> {
  const kept = new Set(
    pairs
      .filter(([name, value]) => name.startsWith(choicePrefix) && value === keepCurrent)
      .map(([name]) => name.slice(choicePrefix.length)),
  )
  const own = pairs.filter(([name]) => !name.startsWith('_'))
  const named = Map.groupBy(own, ([name]) => name.replace(/\[\]$/, ''))
  for (const name of kept) named.delete(name)
  return named
}

/** The pairs of the fields that a person changed; all pairs if the form has no originals. */
export function changedPairs(
  { fieldByName }: ResourceModel,
  pairs: readonly QueryPair[],
): readonly QueryPair[] {
  const originals = parseOriginals(pairs)
  const reading = readingOf(pairs)
  return [...groupByName(pairs)].flatMap(([name, own]) => {
    const known = fieldByName.get(name)
    return known && isOriginal(originals, known, parseMember(known, own, reading)) ? [] : own
  })
}

/** How the values of a form are read. */
interface FormReading {
  /** The decimal sign of the page; undefined: numbers are those of JSON. */
  readonly decimal: DecimalSign | undefined
  /** Collects the values that cannot be read. */
  readonly faults: ContentFault[]
}

function readingOf(pairs: readonly QueryPair[]): FormReading {
  return { decimal: findDecimalSign(pairs), faults: [] }
}

function parseMember(
  field: FieldModel | undefined,
  pairs: readonly QueryPair[],
  reading: FormReading,
): JsonValue | undefined {
  if (field?.kind.shape === 'list') return parseList(field, pairs, reading)
  const [, text = ''] = pairs.at(-1) ?? []
  if (!field) return text
  if (text === '' && !(field.required && field.kind.isText)) return undefined
  if (field.kind.shape === 'json') return parseJsonMember(field, text, reading.faults)
  return parseScalar(field, text, { ...reading, pointer: fieldPointer(field.name) })
}

/** An empty list of an optional field is absent. */
function parseList(
  { name: list, required, item }: FieldModel,
  pairs: readonly QueryPair[],
  reading: FormReading,
) {
  const values: JsonValue[] = []
  for (const [name, value] of pairs) {
    // One item beyond the limit is read, so that validation refuses the list as too long.
    if (values.length > maxListItems) break
    for (const text of name.endsWith('[]') ? [value] : splitLines(value)) {
      const trimmed = name.endsWith('[]') ? text : text.trim()
      const place = { ...reading, pointer: `${fieldPointer(list)}/${values.length}` }
      if (trimmed !== '') values.push(item ? parseScalar(item, trimmed, place) : trimmed)
    }
  }
  return values.length === 0 && !required ? undefined : values
}

/** The last line may end in a line break. */
function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/, maxListItems + 2)
  if (lines.length <= maxListItems + 1) return lines
  throw refuse('malformed-content', { detail: `A list has more than ${maxListItems} lines.` })
}

function parseScalar(
  field: FieldModel,
  sent: string,
  reading: FormReading & { readonly pointer: string },
): JsonValue {
  const { shape, isText, isTrimmed, input } = field.kind
  const text = isNumber(field) ? exactNumber(field, sent, reading) : sent
  switch (shape) {
    case 'file':
      // Text that is no JSON is refused by its type, like a field that is not there.
      return parseJsonMember(field, text, []) ?? text
    case 'number':
      return parseNumber(text.trim())
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    default:
      if (input.type === 'datetime-local') return parseTimestamp(text.trim())
      // Browsers send every line break as CRLF.
      if (isText) return text.replaceAll('\r\n', '\n')
      // People may type the id of an item.
      return isTrimmed || field.ref ? text.trim() : text
  }
}

/** The number as in JSON. One that can be read in two ways is a fault. */
function exactNumber(
  { schema }: FieldModel,
  text: string,
  { decimal, faults, pointer }: FormReading & { readonly pointer: string },
): string {
  if (decimal === undefined) return text
  const read = readNumber(text, decimal, schema.type === 'integer')
  if ('exact' in read) return read.exact
  const [one, other] = read.meanings
  const detail = `This number can be read in two ways. Write ${one} or ${other}.`
  faults.push({ pointer, rule: 'ambiguous', detail })
  return text
}

function parseNumber(text: string): JsonValue {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return text
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

/** A datetime-local control has no time zone; the page says that times are in UTC. */
function parseTimestamp(text: string): string {
  const local = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$/.exec(text)
  return local ? `${local[1]}${local[2] ?? ':00'}Z` : text
}

function parseJsonMember({ name }: FieldModel, text: string, faults: ContentFault[]): JsonValue | undefined {
  try {
    return parseJson(Buffer.from(text)) as JsonValue
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    faults.push({ pointer: fieldPointer(name), rule: 'json', detail: error.message })
    return undefined
  }
}
