/** Creates requests from an OpenAPI document: values that satisfy its schemas, and others. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'

// biome-ignore lint/suspicious/noExplicitAny: documents have every shape
export type Json = any
export type Random = fc.GeneratorValue

/** A schema of the document as a validator; references are resolved within the document. */
export function validatorsOf(document: Json): (schema: Json) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: true })
  ajv.addSchema({ $id: 'doc', components: document.components })
  const known = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"doc#/')
    let validate = known.get(text)
    if (!validate) {
      validate = ajv.compile(JSON.parse(text))
      known.set(text, validate)
    }
    return validate
  }
}

export function resolve(document: Json, value: Json): Json {
  if (typeof value?.$ref !== 'string') return value
  // Members beside a reference are only annotations.
  const { $ref, ...notes } = value
  const steps = $ref.slice(2).split('/')
  const found = steps.reduce((at: Json, step: string) => at[step], document)
  return { ...resolve(document, found), ...notes }
}

/** A value that satisfies the schema; supports the keywords that our schemas use. */
export function satisfying(document: Json, declared: Json, g: Random, depth = 0): Json {
  const schema = resolve(document, declared)
  if (schema === true || Object.keys(schema).length === 0)
    return g(fc.constantFrom, 1, 'x', true, [1], { a: 1 })
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return g(fc.constantFrom, ...schema.enum)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return satisfying(document, g(fc.constantFrom, ...alternatives), g, depth)
  switch (schema.type) {
    case 'object':
      return objectOf(document, schema, g, depth)
    case 'array': {
      const least = schema.minItems ?? 0
      const length = g(fc.integer, {
        min: least,
        max: Math.max(least, Math.min(schema.maxItems ?? 3, 3)),
      })
      const items = Array.from({ length }, () => satisfying(document, schema.items, g, depth + 1))
      return schema.uniqueItems
        ? [...new Map(items.map((one) => [JSON.stringify(one), one])).values()]
        : items
    }
    case 'integer':
      return g(fc.integer, {
        min: Math.max(schema.minimum ?? -1000, -(2 ** 31)),
        max: Math.min(schema.maximum ?? 1000, 2 ** 31),
      })
    case 'number':
      return g(fc.integer, {
        min: Math.ceil(schema.minimum ?? -1000),
        max: Math.floor(schema.maximum ?? 1000),
      })
    case 'boolean':
      return g(fc.boolean)
    case 'null':
      return null
    case 'string':
      return textOf(schema, g)
    default:
      return g(fc.constantFrom, 1, 'x', true)
  }
}

function objectOf(document: Json, schema: Json, g: Random, depth: number): Json {
  const required = new Set(schema.required ?? [])
  const entries = Object.entries<Json>(schema.properties ?? {}).filter(([name, property]) => {
    const { readOnly, 'x-fixed': fixed } = resolve(document, property)
    if (readOnly || fixed) return false
    // A schema that refers to itself ends somewhere.
    const recursive = JSON.stringify(property).includes('Filter"')
    if (recursive && (depth > 1 || g(fc.integer, { min: 0, max: 3 }) > 0)) return false
    return required.has(name) || g(fc.integer, { min: 0, max: 2 }) === 0
  })
  return Object.fromEntries(
    entries.map(([name, property]) => [name, satisfying(document, property, g, depth + 1)]),
  )
}

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.stringMatching(/^[a-z]{1,8}\.[a-z0-9]{1,8}@[a-z]{1,8}\.example$/),
  uuid: fc.uuid(),
  uri: fc.webUrl({ validSchemes: ['http', 'https'] }),
  date: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  'date-time': fc
    .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString()),
}

function textOf(schema: Json, g: Random): string {
  const name = JSON.stringify(schema)
  let texts = textsBySchema.get(name)
  if (!texts) {
    const created = textsFor(schema)
    texts = () => created
    textsBySchema.set(name, texts)
  }
  return g(texts)
}

/** Making them is slow, and they are few. */
const textsBySchema = new Map<string, () => fc.Arbitrary<string>>()

function textsFor(schema: Json): fc.Arbitrary<string> {
  const patterns = [schema.pattern, ...(schema.allOf ?? []).map((one: Json) => one.pattern)]
    .filter(Boolean)
    .map((pattern: string) => new RegExp(pattern, 'u'))
  const { minLength = 0, maxLength = 60 } = schema
  const fits = (text: string) => {
    const length = [...text].length
    return (
      length >= minLength &&
      length <= maxLength &&
      text.isWellFormed() &&
      patterns.every((pattern) => pattern.test(text)) &&
      !schema.not?.enum?.includes(text) &&
      isWithin(schema, text)
    )
  }
  const known = formats[schema.format]
  if (known) return known.filter(fits)
  const own = schema.pattern !== undefined && !schema.pattern.startsWith('^[^')
  if (own) return fc.stringMatching(new RegExp(schema.pattern)).filter(fits)
  const size = { minLength, maxLength: Math.min(maxLength, minLength + 20) }
  return fc.string({ unit: 'grapheme', ...size }).filter(fits)
}

/** The bounds of decimals, which JSON Schema has no words for. */
function isWithin(schema: Json, text: string): boolean {
  const value = Number(text)
  return !(value < Number(schema['x-minimum'])) && !(value > Number(schema['x-maximum']))
}

/** Something near the value that does not satisfy the schema; undefined where it still would. */
export function spoiltOf(
  document: Json,
  declared: Json,
  validate: (schema: Json) => ValidateFunction,
  g: Random,
): { readonly value: Json } | undefined {
  const schema = resolve(document, declared)
  const value = structuredClone(satisfying(document, schema, g))
  const spoilt = g(fc.constantFrom, ...spoilers)(value, schema, g)
  return validate(declared)(spoilt) ? undefined : { value: spoilt }
}

type Spoiler = (value: Json, schema: Json, g: Random) => Json

const spoilers: readonly Spoiler[] = [
  (value) => [value],
  () => 'text',
  () => null,
  (value) => ({ ...value, noSuchField: 1 }),
  (value, { required = [] }, g) => {
    const { [required.length > 0 ? g(fc.constantFrom, ...required) : '']: _gone, ...rest } = value
    return rest
  },
  (value, schema, g) => {
    const names = Object.keys(schema.properties ?? {}).filter(
      (name) => !schema.properties[name].readOnly && !schema.properties[name]['x-fixed'],
    )
    if (names.length === 0) return value
    const wrong = g(fc.constantFrom, null, -1e9, 1.5, '', '\u0001', 'x'.repeat(2000), [], {}, true, [{}])
    return { ...value, [g(fc.constantFrom, ...names) as string]: wrong }
  },
]
