/** What the operations of collections and items have in common. */

import type { JsonSchema } from '../declare/model.ts'
import type { Part, Right } from './audience.ts'
import { type Example, rowExample } from './example.ts'
import { type HeaderName, headersOf } from './headers.ts'
import { contentOf } from './media.ts'
import { camelCase, pascalCase } from './naming.ts'
import type { FormatOffer, Offer } from './offer.ts'
import { problemReferences } from './problems.ts'
import { formatRule } from './rule-words.ts'
import { securityOf } from './security.ts'

export interface Operation extends JsonSchema {
  readonly operationId: string
}

/** By method, in capitals. */
export type Operations = Readonly<Record<string, Operation>>

export interface Telling {
  readonly offer: Offer
  /** All that its audience is told of. */
  readonly parts: readonly Part[]
  /** Whether to tell by which rules: only those who run the service are told. */
  readonly rules: boolean
}

export function pick(
  methods: readonly string[],
  makers: Record<string, () => Operation>,
): Operations {
  const known = methods.flatMap((method) => {
    const make = makers[method]
    return make ? [[method, make()] as const] : []
  })
  return Object.fromEntries(known)
}

export const itemFields: readonly HeaderName[] = [
  'ETag',
  'Last-Modified',
  'Link',
  'Accept-Ranges',
  'Content-Location',
  'Preference-Applied',
]

export function options(part: Part, name: string, fields: readonly HeaderName[]): Operation {
  const { resource } = part
  return {
    operationId: camelCase(resource.name) + name,
    tags: [resource.name],
    summary: 'What can be done here',
    description: 'The methods and media types of this URI, the same for every caller.',
    security: [{}],
    responses: {
      204: {
        description: 'The methods, the same for every caller.',
        headers: headersOf(['Allow', ...fields]),
      },
      ...problemReferences([400, 414, 500, 503]),
    },
  }
}

export interface Heading {
  readonly name: string
  readonly summary: string
  readonly right: Right
}

export function heading(part: Part, { name, summary, right }: Heading, { offer, rules }: Telling) {
  const { resource } = part
  return {
    operationId: camelCase(resource.name) + name,
    tags: [resource.name],
    summary,
    description: rules ? `${summary}. For ${formatRule(resource.access[right])}.` : `${summary}.`,
    security: securityOf(offer.schemes, part.isOpen(right)),
  }
}

export const everyRequest: readonly number[] = [400, 406, 414, 429, 500, 503]
export const refusedContent: readonly number[] = [413, 415, 422, 507]

/** 401 even where anyone may: credentials that are not valid are refused everywhere. */
export function refusedCallers(part: Part, right: Right, { schemes }: Offer): readonly number[] {
  if (schemes.length === 0 && part.may[right] === 'always') return []
  return [401, 403]
}

export const notModified: JsonSchema = { $ref: '#/components/responses/NotModified' }
export const movedResponse: JsonSchema = { 301: { $ref: '#/components/responses/Moved' } }

/** A record, or what `fields` and `embed` make of it. */
export function shownSchema(part: Part): JsonSchema {
  return { anyOf: [reference(part, 'Item'), reference(part, 'Selection')] }
}

export function itemContent(part: Part, formats: readonly FormatOffer[]): JsonSchema {
  const example = rowExample(part)
  return contentOf(formats, { schema: reference(part, 'Item'), ...(example ? { example } : {}) })
}

export function bodyOf(types: readonly string[], schema: JsonSchema, example: Example | undefined) {
  const formats = types.map((mediaType) => ({ mediaType }))
  return {
    required: true,
    content: contentOf(formats, { schema, ...(example ? { example } : {}) }),
  }
}

export function reference({ resource }: Part, title: string): JsonSchema {
  return { $ref: `#/components/schemas/${pascalCase(resource.name)}${title}` }
}

/** HEAD (RFC 9110 §9.3.2): as GET, and nothing of the content. */
export function withoutContent(operation: Operation): Operation {
  const { responses, ...rest } = operation as Operation & { responses: JsonSchema }
  const bare = Object.entries(responses).map(([status, response]) => {
    const { content: _content, ...fields } = response as JsonSchema
    return [status, fields]
  })
  return { ...rest, summary: 'Header fields only', responses: Object.fromEntries(bare) }
}
