/**
 * Content of requests in every media type that a document offers. What is not JSON follows the
 * mapping that docs/guide/formats.md publishes, from the schema of the JSON beside it.
 */

import type { ValidateFunction } from 'ajv'
import fc from 'fast-check'
import { type Json, type Random, resolve, satisfying, spoiltOf } from './request-maker.ts'

export interface Content {
  readonly text: string
  /** That it does not satisfy the document. */
  readonly spoilt: boolean
  /** That nothing in its values can be wrong either, but for what a schema cannot know. */
  readonly exact: boolean
}

/** The input of a maker. */
export interface Making {
  readonly document: Json
  readonly validate: (schema: Json) => ValidateFunction
  /** The collection that it is sent to. */
  readonly name: string
  readonly method: string
  /** The schemas of the operation by media type. */
  readonly offered: Json
  readonly g: Random
}

export function makeContent(making: Making, type: string, spoil: boolean): Content {
  return (makers[type] ?? makeJson)(making, spoil, type)
}

/** The media types of the makers; forms of HTML pages are tested with the pages. */
export function isMakeable(type: string): boolean {
  return makers[type] !== undefined || /[/+]json$/.test(type)
}

type Maker = (making: Making, spoil: boolean, type: string) => Content

const makers: Readonly<Record<string, Maker>> = {
  'application/json-patch+json': makeJsonPatch,
  'application/xml': makeXml,
  'application/x-ndjson': makeNdjson,
  'text/csv': makeCsv,
}

function makeJson({ document, validate, offered, g }: Making, spoil: boolean, type: string) {
  const { schema } = offered[type]
  const spoilt = spoil ? spoiltOf(document, schema, validate, g) : undefined
  const value = spoilt ? spoilt.value : satisfying(document, schema, g)
  return { text: JSON.stringify(value), spoilt: spoilt !== undefined, exact: true }
}

/** Operations on the fields of a merge patch, with possible values. */
function makeJsonPatch(making: Making, spoil: boolean, type: string): Content {
  const { document, validate, offered, g } = making
  const fields = satisfying(document, offered['application/merge-patch+json'].schema, g)
  // Half of them have no operation that could fail because of the item's state.
  const calm = g(fc.boolean)
  const entries = Object.entries<Json>(fields).filter(([, value]) => !calm || value !== null)
  const operations = entries.map(([name, value]) => {
    if (calm) return { op: 'add', path: `/${name}`, value }
    const op = g(fc.constantFrom, 'add', 'add', 'replace', 'test', 'remove', 'copy', 'move')
    if (value === null || op === 'remove') return { op: 'remove', path: `/${name}` }
    if (op !== 'copy' && op !== 'move') return { op, path: `/${name}`, value }
    return { op, from: g(fc.constantFrom, '/id', '/tags/0', '', '/a~1b'), path: `/${name}` }
  })
  const patch = spoil ? g(fc.constantFrom, ...patchSpoilers)(operations) : operations
  // Moved values are those of other fields, and a removed one may be required.
  const exact = operations.every(({ op }) => op === 'add' || op === 'replace' || op === 'test')
  return { text: JSON.stringify(patch), spoilt: !validate(offered[type].schema)(patch), exact }
}

const patchSpoilers: readonly ((operations: Json[]) => Json)[] = [
  () => ({ op: 'add', path: '/name', value: 'x' }),
  (operations) => [...operations, { op: 'add', path: '/name' }],
  (operations) => [...operations, { op: 'change', path: '/name', value: 'x' }],
  (operations) => [...operations, { op: 'remove', path: 'name' }],
  (operations) => [...operations, { op: 'remove', path: '/a~2' }],
  (operations) => [...operations, { op: 'move', path: '/name' }],
  (operations) => [...operations, { op: 'copy', from: 'id', path: '/name' }],
  (operations) => [...operations, { op: 'test', value: 1 }],
  (operations) => [...operations, 'remove'],
]

function makeXml(making: Making, spoil: boolean): Content {
  const { g, name } = making
  const { properties, value } = oneItem(making)
  const members = Object.entries<Json>(value).map(([field, one]) =>
    xmlElement(field, one, isOpen(making, properties[field])),
  )
  const text = `<${name}>${members.join('')}</${name}>`
  if (!spoil) return { text, spoilt: false, exact: true }
  return { text: g(fc.constantFrom, ...xmlSpoilers)(text, name), spoilt: true, exact: true }
}

const xmlSpoilers: readonly ((text: string, name: string) => string)[] = [
  (text) => `<!DOCTYPE a>${text}`,
  (text) => text.slice(0, -2),
  (text) => `${text}${text}`,
  (text) => text.replace('>', '>text between'),
  (text, name) => text.replace(`</${name}>`, `<noSuchField>1</noSuchField></${name}>`),
  (text, name) => text.replace(`</${name}>`, `<twice/><twice/></${name}>`),
  (text, name) => text.replace(`</${name}>`, `<size unit="cm">1</size></${name}>`),
  (text, name) => text.replace(`</${name}>`, `&undeclared;</${name}>`),
  (text, name) => text.replaceAll(name, 'other'),
]

/** The schema of an item in the JSON array: content with many items is built from it. */
function oneItem({ document, offered, g }: Making) {
  const type = offered['application/merge-patch+json'] ? 'application/merge-patch+json' : 'application/json'
  const declared = resolve(document, offered[type].schema)
  const schema = resolve(document, declared.anyOf ? declared.anyOf[0] : declared)
  return { schema, properties: schema.properties, value: satisfying(document, schema, g) }
}

/** Whether its values are of any shape at all: these are written as JSON text. */
function isOpen({ document }: Making, property: Json): boolean {
  const schema = resolve(document, property)
  return schema.type === undefined && !schema.enum && !schema.anyOf && schema.const === undefined
}

function xmlElement(name: string, value: Json, open: boolean): string {
  if (value === null) return `<${name} xsi:nil="true"/>`
  if (open) return `<${name}>${escaped(JSON.stringify(value))}</${name}>`
  if (!Array.isArray(value)) return `<${name}>${escaped(String(value))}</${name}>`
  return `<${name}>${value.map((one) => xmlElement('item', one, false)).join('')}</${name}>`
}

function escaped(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function makeNdjson(making: Making, spoil: boolean): Content {
  const { document, validate, g } = making
  const { schema, value } = oneItem(making)
  const lines = [JSON.stringify(value)]
  if (g(fc.boolean)) lines.push(JSON.stringify(satisfying(document, schema, g)))
  const bad = spoil ? spoiltOf(document, schema, validate, g) : undefined
  if (bad) lines.push(g(fc.boolean) ? JSON.stringify(bad.value) : '{"cut')
  return { text: `${lines.join('\n')}\n`, spoilt: bad !== undefined, exact: true }
}

function makeCsv(making: Making, spoil: boolean): Content {
  const { g } = making
  const { value } = oneItem(making)
  const names = Object.keys(value)
  const cells = names.map((name) => csvCell(value[name]))
  const text = `${names.join()}\r\n${cells.join()}\r\n`
  if (!spoil) return { text, spoilt: false, exact: true }
  return { text: g(fc.constantFrom, ...csvSpoilers)(text), spoilt: true, exact: true }
}

const csvSpoilers: readonly ((text: string) => string)[] = [
  (text) => text.replace('\r\n', ',noSuchField\r\n').replace(/\r\n$/, ',1\r\n'),
  (text) => `${text}"cut`,
  (text) => `${text}1,2,3,4,5,6,7,8,9\r\n`,
  (text) => text.replace('\r\n', ',twice,twice\r\n').replace(/\r\n$/, ',1,2\r\n'),
  (text) => text.slice(0, text.indexOf('\r\n') + 2),
  () => '',
]

/** Quoted, for only then an empty text is one; a formula has an apostrophe in front. */
function csvCell(value: Json): string {
  const text = Array.isArray(value) || typeof value === 'object' ? JSON.stringify(value) : value
  return `"${String(text)
    .replace(/^(?='*[=+\-@\t\r])/, "'")
    .replaceAll('"', '""')}"`
}
