/** The operations of a collection: its pages, by GET and QUERY, and what makes items. */

import type { FieldModel, JsonSchema } from '../declare/model.ts'
import { rowSchema } from '../declare/schema.ts'
import { mostConditions } from '../query/filter.ts'
import { greatestLimit } from '../query/list-query.ts'
import type { Part } from './audience.ts'
import { createExample, rowExample } from './example.ts'
import { filterReference, filterReferences, sortParameter } from './filters.ts'
import { type HeaderName, headersOf } from './headers.ts'
import { contentOf } from './media.ts'
import {
  bodyOf,
  everyRequest,
  heading,
  itemContent,
  itemFields,
  notModified,
  type Operation,
  type Operations,
  options,
  pick,
  reference,
  refusedCallers,
  refusedContent,
  shownSchema,
  type Telling,
  withoutContent,
} from './operation.ts'
import { formatParameter, parameterReferences } from './parameters.ts'
import { problemReferences } from './problems.ts'
import { referencesOf, selectionParameters } from './selection.ts'

export function collectionOperations(part: Part, telling: Telling): Operations {
  return pick(part.collectionMethods, {
    GET: () => list(part, telling, 'List'),
    HEAD: () => withoutContent(list(part, telling, 'Head')),
    POST: () => create(part, telling),
    QUERY: () => query(part, telling),
    OPTIONS: () => options(part, 'Options', ['Accept-Post', 'Accept-Query']),
  })
}

const pageFields: readonly HeaderName[] = [
  'ETag',
  'Link',
  'Accept-Ranges',
  'Content-Location',
  'Preference-Applied',
  'Total-Count',
]
function list(part: Part, telling: Telling, name: string): Operation {
  const { offer } = telling
  const head = heading(
    part,
    { name, summary: `List ${part.resource.name}`, right: 'read' },
    telling,
  )
  return {
    ...head,
    description: `${head.description} At most ${mostConditions} filters in all.`,
    parameters: listParameters(part, telling),
    responses: {
      200: pageResponse(part, telling, []),
      304: notModified,
      ...problemReferences([...everyRequest, ...refusedCallers(part, 'read', offer), 412]),
    },
  }
}

/** RFC 10008: asks what a query string cannot, such as for alternatives. */
function query(part: Part, telling: Telling): Operation {
  const { offer } = telling
  const what = { name: 'Query', summary: `Query ${part.resource.name}`, right: 'read' } as const
  const types = offer.accepted('QUERY', part.resource)
  return {
    ...heading(part, what, telling),
    parameters: listParameters(part, telling),
    requestBody: bodyOf(types, { $ref: filterReference(part) }, {}),
    responses: {
      200: pageResponse(part, telling, ['Location']),
      304: notModified,
      ...problemReferences([
        ...everyRequest,
        ...refusedCallers(part, 'read', offer),
        ...[412, 413, 415, 422],
      ]),
    },
  }
}

function listParameters(part: Part, { offer, parts }: Telling): readonly JsonSchema[] {
  const words = part.resource.search.length > 0 ? parameterReferences('Words') : []
  return [
    ...parameterReferences('Limit', 'After', 'Before'),
    sortParameter(part),
    ...selectionParameters(part, referencesOf(part, parts)),
    ...words,
    formatParameter(offer.shown.collection),
    ...filterReferences(part, parts),
    ...parameterReferences('Prefer', 'IfMatch', 'IfNoneMatch'),
  ]
}

function pageResponse(part: Part, { offer }: Telling, more: readonly HeaderName[]): JsonSchema {
  const schema = { type: 'array', items: shownSchema(part), maxItems: greatestLimit }
  const row = rowExample(part)
  return {
    description: 'A page of the items that the caller may see.',
    headers: headersOf([...more, ...pageFields]),
    content: contentOf(offer.shown.collection, { schema, ...(row ? { example: [row] } : {}) }),
  }
}

function create(part: Part, telling: Telling): Operation {
  const { offer } = telling
  const { resource } = part
  const summary = `Create one of ${resource.name}${resource.bulk ? ', or many' : ''}`
  const one = reference(part, 'Create')
  const many = { type: 'array', items: one, minItems: 1, maxItems: offer.mostAtOnce }
  const content = resource.bulk ? { anyOf: [one, many] } : one
  return {
    ...heading(part, { name: 'Create', summary, right: 'create' }, telling),
    parameters: [
      formatParameter(offer.shown.item),
      // What has a secret in its answer is not kept to be repeated.
      ...parameterReferences('Prefer', ...(resource.own ? [] : (['IdempotencyKey'] as const))),
    ],
    requestBody: bodyOf(offer.accepted('POST', resource), content, createExample(part)),
    responses: {
      201: {
        description: 'Created: where it is, and what it is where the caller may see it.',
        headers: headersOf(['Location', ...itemFields]),
        content: createdContent(part, telling),
      },
      ...problemReferences([
        ...everyRequest,
        ...refusedCallers(part, 'create', offer),
        ...refusedContent,
        409,
      ]),
    },
  }
}

function createdContent(part: Part, telling: Telling): JsonSchema {
  const { resource } = part
  if (resource.bulk) return manyContent(part, telling)
  if (resource.own === 'tokens') return tokenContent(part, telling)
  return itemContent(part, telling.offer.shown.item)
}

/** The secret is shown where a token is made, and never again. */
function tokenContent(part: Part, { offer }: Telling): JsonSchema {
  const { resource } = part
  const sees = (field: FieldModel) => (field.name === 'token' ? 'always' : part.sees(field))
  const { $schema: _dialect, ...schema } = rowSchema(resource, { ...part, sees })
  return contentOf(offer.shown.item, { schema })
}

function manyContent(part: Part, { offer }: Telling): JsonSchema {
  const item = reference(part, 'Item')
  const schema = { anyOf: [item, { type: 'array', items: item, maxItems: offer.mostAtOnce }] }
  return contentOf(offer.shown.item, { schema })
}
