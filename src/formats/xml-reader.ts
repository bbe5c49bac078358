/**
 * Reads XML content, typed by the model: an element is a field, `item` an element of a list,
 * `xsi:nil="true"` null. Unknown elements stay text, which validation refuses by name.
 */

import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml'
import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import { refuse } from '../refusal.ts'
import type { ReadOptions } from './format.ts'
import { scanJson } from './json-limits.ts'
import { parseJson } from './json-reader.ts'
import { scanXml } from './xml-limits.ts'

/** Parses an item to a JSON value, or several to an array with `bulk`; refuses malformed-content. */
export function parseXmlItem(content: Uint8Array, { resource, charset }: ReadOptions): JsonValue {
  const text = normalizeLineEnds(decodeXml(content, charset))
  const fault = scanXml(text)
  if (fault) throw malformed(`${fault}.`)
  const root = parseRoot(text)
  if (root.name !== resource.name && root.name !== 'item') {
    throw malformed(`The root element must be <${resource.name}>.`)
  }
  const nil = findNilNames(root)
  if (isList(root, resource)) {
    requireNoText(root)
    return elementsOf(root).map((item) => parseMembers(item, resource, nil))
  }
  return parseMembers(unwrapItem(root, resource), resource, nil)
}

/** Normalizes line ends to LF (XML 1.0 §2.11) in linear time; the parser takes quadratic time. */
function normalizeLineEnds(text: string): string {
  if (!text.includes('\r')) return text
  const units = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === LINE_FEED && text.charCodeAt(at - 1) === CARRIAGE_RETURN) continue
    units[length] = unit === CARRIAGE_RETURN ? LINE_FEED : unit
    length += 1
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

const CARRIAGE_RETURN = 13
const LINE_FEED = 10

function parseRoot(text: string): XmlElement {
  try {
    const { root } = parseXml(text)
    if (root) return root
  } catch (cause) {
    const [reason = ''] = (cause as Error).message.split('\n')
    throw malformed(`The content is not well-formed XML: ${reason}`, cause)
  }
  throw malformed('The content has no root element.')
}

/** Whether the root has several items, as the XML of a list has. */
function isList(root: XmlElement, { bulk, fieldByName }: ResourceModel): boolean {
  if (!bulk || fieldByName.has('item')) return false
  const elements = elementsOf(root)
  return elements.length > 1 && elements.every(({ name }) => name === 'item')
}

/** The root may be the element of the collection, with one `item` in it. */
function unwrapItem(root: XmlElement, { fieldByName }: ResourceModel): XmlElement {
  const [only, ...others] = elementsOf(root)
  return only?.name === 'item' && others.length === 0 && !fieldByName.has('item') ? only : root
}

const maxNames = 1000

function parseMembers(element: XmlElement, resource: ResourceModel, nil: NilNames): JsonValue {
  requireNoText(element)
  const found = new Map<string, JsonValue>()
  for (const child of elementsOf(element)) {
    if (found.has(child.name)) throw malformed(`The element <${child.name}> is repeated.`)
    if (found.size === maxNames) {
      throw malformed(`<${element.name}> has more than ${maxNames} elements.`)
    }
    found.set(child.name, parseMember(child, resource, nil))
  }
  return Object.fromEntries(found)
}

function parseMember(element: XmlElement, resource: ResourceModel, nil: NilNames): JsonValue {
  const nested = resource.nested.find(({ name }) => name === element.name)
  if (nested) return (nested.isOne ? parseObject : parseObjects)(element, nested.target, nil)
  return parseValue(element, findField(resource, element.name), nil)
}

/** The field with the name. A client may send the value of a derived field back. */
function findField({ fieldByName, derived }: ResourceModel, name: string): FieldModel | undefined {
  return fieldByName.get(name) ?? derived.find(({ field }) => field.name === name)?.field
}

function parseValue(element: XmlElement, field: FieldModel | undefined, nil: NilNames): JsonValue {
  requireKnownAttributes(element, nil)
  if (isNil(element, nil)) return null
  if (field?.kind.shape === 'list') return parseList(element, field, nil)
  if (field?.kind.shape === 'file') return parseFile(element)
  if (field?.members) return parseObjects(element, field.members, nil)
  if (elementsOf(element).length > 0) return nestedTexts(element)
  return parseTypedText(element.text, field)
}

/** Elements in place of text become an object, which validation refuses by name. */
function nestedTexts(element: XmlElement): JsonValue {
  return Object.fromEntries(elementsOf(element).map(({ name, text }) => [name, text]))
}

/** The members of a file; its size is a number. */
function parseFile(element: XmlElement): JsonValue {
  requireNoText(element)
  const members = elementsOf(element).map(({ name, text }) => [
    name,
    name === 'size' ? parseNumber(text.trim()) : text,
  ])
  return Object.fromEntries(members)
}

function parseObjects(element: XmlElement, members: ResourceModel, nil: NilNames): JsonValue {
  requireNoText(element)
  return itemsOf(element).map((child) => parseObject(child, members, nil))
}

function parseObject(element: XmlElement, members: ResourceModel, nil: NilNames): JsonValue {
  requireNoText(element)
  const values = elementsOf(element).map((one): [string, JsonValue] => [
    one.name,
    parseValue(one, members.fieldByName.get(one.name), nil),
  ])
  return Object.fromEntries(values)
}

function parseList(element: XmlElement, { item }: FieldModel, nil: NilNames): JsonValue {
  requireNoText(element)
  return itemsOf(element).map((child) => parseValue(child, item, nil))
}

function itemsOf(element: XmlElement): readonly XmlElement[] {
  const items = elementsOf(element)
  const other = items.find(({ name }) => name !== 'item')
  if (other) throw malformed(`A list has <item> elements, but found <${other.name}>.`)
  return items
}

/** Parses text by the kind of the field; text of another form stays text. */
function parseTypedText(text: string, field: FieldModel | undefined): JsonValue {
  switch (field?.kind.shape) {
    case 'number':
      return parseNumber(text.trim())
    case 'boolean':
      return booleans.get(text.trim()) ?? text
    case 'json':
      return parseJson(Buffer.from(text)) as JsonValue
    default:
      // Hand-written documents often have spaces around values that contain none.
      return field?.kind.isTrimmed ? text.trim() : text
  }
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function parseNumber(text: string): JsonValue {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return text
  const fault = scanJson(text)
  if (fault) throw malformed(`${fault.reason}.`)
  return Number(text)
}

/** The names of xsi:nil in a document. */
type NilNames = ReadonlySet<string>

const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

/** Prefixes are declared on the root; `xsi` also works undeclared. */
function findNilNames(root: XmlElement): NilNames {
  const declared = Object.entries(root.attributes).filter(([, uri]) => uri === instanceNamespace)
  return new Set(['xsi:nil', ...declared.map(([name]) => `${name.replace('xmlns:', '')}:nil`)])
}

function isNil({ attributes }: XmlElement, nil: NilNames): boolean {
  return [...nil].some((name) => attributes[name] === 'true' || attributes[name] === '1')
}

/** Only xsi:nil has a meaning; other attributes are refused instead of ignored. */
function requireKnownAttributes({ name, attributes }: XmlElement, nil: NilNames): void {
  for (const attribute of Object.keys(attributes)) {
    if (nil.has(attribute) || /^(?:xmlns(?::.*)?|xml:.*|xsi:.*)$/.test(attribute)) continue
    throw malformed(`The attribute '${attribute}' of <${name}> is not supported.`)
  }
}

function requireNoText({ name, children }: XmlElement): void {
  const stray = children.some((child) => child instanceof XmlText && child.text.trim() !== '')
  if (stray) throw malformed(`<${name}> has text between its elements.`)
}

function elementsOf({ children }: XmlElement): readonly XmlElement[] {
  return children.filter((child) => child instanceof XmlElement)
}

function malformed(detail: string, cause?: unknown) {
  return refuse('malformed-content', { detail, cause })
}

/**
 * Decodes the content (RFC 7303 §3): by its byte order mark, else by the charset of Content-Type, else by its
 * declaration, else as UTF-8. Refuses malformed-content for invalid text and encodings other than UTF-8 and UTF-16.
 */
function decodeXml(content: Uint8Array, charset: string | undefined): string {
  const marked = findByteOrderMark(content)
  if (marked === undefined && charset === undefined) requireSupportedDeclaration(content)
  try {
    return new TextDecoder(marked ?? 'utf-8', { fatal: true }).decode(content)
  } catch (cause) {
    throw refuse('malformed-content', { detail: 'The content is not valid Unicode.', cause })
  }
}

function findByteOrderMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

/** Without a byte order mark, the declaration is ASCII. */
function requireSupportedDeclaration(content: Uint8Array): void {
  const start = Buffer.from(content.subarray(0, 200)).toString('latin1')
  const named = /^(?:\xEF\xBB\xBF)?<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1]
  if (named === undefined || /^(?:utf-8|us-ascii)$/i.test(named)) return
  throw refuse('malformed-content', {
    detail: 'The encoding of the XML is not supported. Use UTF-8 or UTF-16.',
  })
}
