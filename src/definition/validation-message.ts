/** Messages for values that violate a keyword of JSON Schema. */

import type { FieldKind } from './field-kind.ts'
import type { Violation } from './kind-schema.ts'
import { formatChoices } from './kinds/choice.ts'
import { cleanText } from './kinds/text.ts'
import type { JsonSchema } from './model.ts'

export interface ValidationMessage {
  /** The standard keyword of JSON Schema. */
  readonly rule: string
  readonly detail: string
}

export interface MessageContext {
  readonly kind: FieldKind
  readonly schema: JsonSchema
  /** The message for a value of the right type and the wrong form. */
  readonly requirement: string
}

/** Returns the keyword that the value violates and a sentence that says what is expected. */
export function createValidationMessage(violation: Violation, field: MessageContext): ValidationMessage {
  const { keyword, schema } = violation
  if (keyword === 'pattern' && schema === cleanText) return { rule: 'pattern', detail: controlCharacters }
  if (field.kind.shape !== 'json' && (keyword === 'pattern' || keyword === 'format')) {
    // A kind with a format may also have a pattern, for validators that do not assert formats.
    const { format } = (field.schema.items ?? field.schema) as JsonSchema
    return { rule: format === undefined ? keyword : 'format', detail: field.requirement }
  }
  const sentence = Object.hasOwn(details, keyword) ? details[keyword] : undefined
  return {
    rule: standardNames[keyword] ?? keyword,
    detail: sentence?.(schema, violation.params) ?? `Must satisfy the keyword '${keyword}' of the schema.`,
  }
}

const controlCharacters = 'Must not contain control characters other than tab, line feed and carriage return.'

const standardNames: Readonly<Record<string, string>> = {
  'x-minimum': 'minimum',
  'x-maximum': 'maximum',
  'x-maxOctets': 'maxLength',
  'x-patternWork': 'pattern',
}

type FormatDetail = (limit: unknown, params: Readonly<Record<string, unknown>>) => string

const details: Readonly<Record<string, FormatDetail>> = {
  type: (type) => `Must be ${[type].flat().map(formatType).join(' or ')}.`,
  minLength: (limit) => `Must be at least ${count(limit, 'character')} long.`,
  maxLength: (limit) => `Must be at most ${count(limit, 'character')} long.`,
  'x-maxOctets': (limit) => `Must be at most ${limit} octets long in UTF-8.`,
  'x-patternWork': () => 'Too much text to check against the pattern at once. Send less.',
  pattern: (pattern) => `Must match the pattern ${pattern}.`,
  format: (format) => `Must be a valid '${format}'.`,
  minimum: (limit) => `Must be at least ${limit}.`,
  maximum: (limit) => `Must be at most ${limit}.`,
  'x-minimum': (limit) => `Must be at least ${limit}.`,
  'x-maximum': (limit) => `Must be at most ${limit}.`,
  exclusiveMinimum: (limit) => `Must be greater than ${limit}.`,
  exclusiveMaximum: (limit) => `Must be less than ${limit}.`,
  multipleOf: (step) => `Must be a multiple of ${step}.`,
  enum: (values) => `Must be ${formatChoices(values as readonly unknown[])}.`,
  const: (value) => `Must be ${JSON.stringify(value)}.`,
  not: () => 'This value is not allowed.',
  minItems: (limit) => `Must have at least ${count(limit, 'item')}.`,
  maxItems: (limit) => `Must have at most ${count(limit, 'item')}.`,
  uniqueItems: (_, { i, j }) => `Must not contain duplicates: items ${i} and ${j} are equal.`,
  minProperties: (limit) => `Must have at least ${count(limit, 'member')}.`,
  maxProperties: (limit) => `Must have at most ${count(limit, 'member')}.`,
  required: () => 'Required.',
  dependentRequired: (_, { property }) => `Required when '${property}' is present.`,
  additionalProperties: () => 'Unknown member.',
  unevaluatedProperties: () => 'Unknown member.',
  propertyNames: () => 'This member name is not allowed.',
  anyOf: () => 'Must match at least one of the allowed forms.',
  oneOf: () => 'Must match exactly one of the allowed forms.',
  'false schema': () => 'Not allowed here.',
}

function count(limit: unknown, noun: string): string {
  return limit === 1 ? `1 ${noun}` : `${limit} ${noun}s`
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

/** Returns the type of a JSON value in words. */
export function formatType(type: unknown): string {
  return typeNames[String(type)] ?? String(type)
}
