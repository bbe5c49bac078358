/**
 * `_templates` of HAL-FORMS: the actions with their properties. A property whose `options` allow
 * more than one item takes an array; one with a `schema` takes any valid JSON value.
 */

import { findFileModel } from '../definition/file-fields.ts'
import { cleanText } from '../definition/kinds/text.ts'
import type { FieldModel, JsonSchema, JsonValue } from '../definition/model.ts'
import { formDataType } from '../http/multipart.ts'
import type { Action, Input } from '../views/hypermedia-controls.ts'

export function createTemplates(actions: readonly Action[]): JsonValue {
  return Object.fromEntries(actions.map((action) => [action.name, createTemplate(action)]))
}

function createTemplate({ title, method, target, contentType, inputs }: Action): JsonValue {
  return {
    title,
    method,
    target,
    ...(contentType === undefined ? {} : { contentType }),
    properties: inputs.map((input) => {
      const isFile = contentType === formDataType && findFileModel(input.field) !== undefined
      return isFile ? createFileProperty(input) : createProperty(input)
    }),
  }
}

function createProperty(input: Input): JsonValue {
  const { field, required, value, fixed } = input
  return {
    name: field.name,
    ...prompt(field),
    ...(required ? { required } : {}),
    ...(fixed ? { readOnly: true } : {}),
    ...(value === undefined ? {} : { value }),
    ...inputHints(field.item ?? field),
    ...createOptions(input),
  }
}

/** The part of a form with a file. */
function createFileProperty({ field, required }: Input): JsonValue {
  return { name: field.name, ...prompt(field), ...(required ? { required } : {}), type: 'file' }
}

/** HAL-FORMS: without a prompt, clients show the name. */
function prompt({ label }: FieldModel): Members {
  return label === undefined ? {} : { prompt: label }
}

type Members = { readonly [name: string]: JsonValue }

/** The type and constraints of a property; without a type it is `text`. */
function inputHints({ kind, schema }: FieldModel): Members {
  switch (kind) {
    case 'integer':
    case 'number':
      return { type: 'number', ...limits(schema), ...(kind === 'integer' ? { step: 1 } : {}) }
    case 'text':
      return { ...lengths(schema), ...regex(schema), ...textareaHint(schema) }
    case 'decimal':
      return { ...regex(schema), ...bounds(schema) }
    case 'email':
      return { type: 'email', ...lengths(schema), placeholder: 'ada@example.org' }
    case 'url':
      return { type: 'url', ...lengths(schema), placeholder: 'https://example.org/' }
    case 'uuid':
      return { ...regex(schema) }
    case 'password':
      return { type: 'password', ...lengths(schema) }
    case 'date':
      return { type: 'date' }
    case 'timestamp':
      return { placeholder: '2026-02-28T12:00:00.000Z' }
    case 'json':
    case 'file':
      return { type: 'textarea', schema: schema as JsonValue }
    default:
      return {}
  }
}

function createOptions({ field, choices, choicesUri }: Input): Members {
  const { kind, item, schema } = field
  if (item) {
    const inline = findInlineOptions(item)
    const { minItems = 0, maxItems } = schema as { minItems?: number; maxItems: number }
    const link = choicesUri === undefined ? {} : linkedOptions(field, choicesUri)
    return { options: { ...link, ...(inline ? { inline } : {}), minItems, maxItems } }
  }
  const inline = choices ?? findInlineOptions(field)
  if (inline) return { options: { inline, maxItems: 1 } }
  if (kind !== 'ref' || choicesUri === undefined) return {}
  return { options: { ...linkedOptions(field, choicesUri), maxItems: 1 } }
}

/** The JSON list of the collection has the form of HAL-FORMS options. */
function linkedOptions(field: FieldModel, href: string): Members {
  const link = { href, type: 'application/json' }
  return { link, valueField: 'id', promptField: findPromptField(field) }
}

function findInlineOptions({ kind, schema }: FieldModel): readonly JsonValue[] | undefined {
  if (kind === 'boolean') return [true, false]
  return schema.enum as readonly JsonValue[] | undefined
}

/** The field that people recognize the referenced items by. */
function findPromptField({ ref, refs }: FieldModel): string {
  const target = (ref ?? refs)?.resource
  const open = target?.fields.find(({ kind, visibleTo }) => kind === 'text' && !visibleTo)
  return target?.presentation.title ?? open?.name ?? 'id'
}

function limits({ minimum, maximum }: JsonSchema): Members {
  const min = minimum === undefined ? {} : { min: minimum as number }
  return { ...min, ...(maximum === undefined ? {} : { max: maximum as number }) }
}

function bounds(schema: JsonSchema): Members {
  const { 'x-minimum': min, 'x-maximum': max } = schema
  return {
    ...(min === undefined ? {} : { min: min as string }),
    ...(max === undefined ? {} : { max: max as string }),
  }
}

function lengths({ minLength, maxLength }: JsonSchema): Members {
  return {
    ...(minLength === undefined ? {} : { minLength: minLength as number }),
    ...(maxLength === undefined ? {} : { maxLength: maxLength as number }),
  }
}

/** Long texts get a textarea. */
function textareaHint({ maxLength, pattern }: JsonSchema): Members {
  const long = typeof maxLength === 'number' && maxLength > 500 && pattern === cleanText
  return long ? { type: 'textarea' } : {}
}

/** The default pattern of every text is left out. */
function regex({ pattern }: JsonSchema): Members {
  return typeof pattern === 'string' && pattern !== cleanText ? { regex: pattern } : {}
}
