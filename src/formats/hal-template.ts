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

function createTemplate({ title, method, target, contentType, inputs, nested = [] }: Action): JsonValue {
  return {
    title,
    method,
    // Without it, it is the URI of the document itself.
    ...(target === '' ? {} : { target }),
    ...(contentType === undefined ? {} : { contentType }),
    properties: [
      ...inputs.map((input) => {
        const isFile = contentType === formDataType && findFileModel(input.field) !== undefined
        return isFile ? createFileProperty(input) : createProperty(input)
      }),
      ...nested.map(({ name, schema }) => ({ name, type: 'textarea', schema: schema() as JsonValue })),
    ],
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
  const { shape, input, reference } = kind
  if (shape === 'json' || shape === 'file') return { type: 'textarea', schema: schema as JsonValue }
  if (reference !== 'none') return {}
  const { step } = input.attributes({ schema, scale: undefined })
  return {
    ...(hintedTypes.has(input.type) ? { type: input.type } : {}),
    ...lengths(schema),
    ...(input.type === 'text' ? regex(schema) : {}),
    ...limits(schema),
    ...(kind.isText ? textareaHint(schema) : {}),
    ...(input.placeholder === undefined ? {} : { placeholder: input.placeholder }),
    ...(input.type === 'number' && Number(step) > 0 ? { step: Number(step) } : {}),
  }
}

/** Without a type it is `text`. The service does not take the local times of `datetime-local`. */
const hintedTypes: ReadonlySet<string> = new Set(['email', 'url', 'number', 'date', 'password', 'color'])

function createOptions({ field, choices, choicesUri }: Input): Members {
  const { item, schema } = field
  if (item) {
    const inline = findInlineOptions(item)
    const { minItems = 0, maxItems } = schema as { minItems?: number; maxItems: number }
    const link = choicesUri === undefined ? {} : linkedOptions(field, choicesUri)
    return { options: { ...link, ...(inline ? { inline } : {}), minItems, maxItems } }
  }
  const inline = choices ?? findInlineOptions(field)
  if (inline) return { options: { inline, maxItems: 1 } }
  if (!field.ref || choicesUri === undefined) return {}
  return { options: { ...linkedOptions(field, choicesUri), maxItems: 1 } }
}

/** The JSON list of the collection has the form of HAL-FORMS options. */
function linkedOptions(field: FieldModel, href: string): Members {
  const link = { href, type: 'application/json' }
  return { link, valueField: 'id', promptField: findPromptField(field) }
}

function findInlineOptions({ kind, schema }: FieldModel): readonly JsonValue[] | undefined {
  if (kind.shape === 'boolean') return [true, false]
  return schema.enum as readonly JsonValue[] | undefined
}

/** The field that people recognize the referenced items by: the first one of their title. */
function findPromptField({ ref, refs }: FieldModel): string {
  const target = (ref ?? refs)?.resource
  const open = target?.fields.find(({ kind, visibleTo }) => kind.isText && !visibleTo)
  return target?.presentation.title?.find(({ of }) => of === undefined)?.field ?? open?.name ?? 'id'
}

/** Those of decimals are texts. */
function limits(schema: JsonSchema): Members {
  const min = schema.minimum ?? schema['x-minimum']
  const max = schema.maximum ?? schema['x-maximum']
  return {
    ...(min === undefined ? {} : { min: min as number | string }),
    ...(max === undefined ? {} : { max: max as number | string }),
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
