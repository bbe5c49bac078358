/** The operations of a collection: its pages, by GET and QUERY, and what makes items. */

import type { FieldModel, JsonSchema } from '../declare/model.ts'
import { rowSchema } from '../declare/schema.ts'
import { greatestLimit } from '../query/list-query.ts'
import type { Part } from './audience.ts'
import { createExample } from './example.ts'
import { filterReference, filterReferences, sortParameter } from './filters.ts'
import { type HeaderName, headersOf } from './headers.ts'
import { contentOf } from './media.ts'
import { pascalCase } from './naming.ts'
import {
  bodyOf,
  everyRequest,
  heading,
  headOf,
  itemResponse,
  notModified,
  type Operation,
  type Operations,
  options,
  pick,
  reference,
  refusedCallers,
  refusedContent,
} from './operation.ts'
import type { OperationContext } from './operation-context.ts'
import { formatParameter, parameterReferences } from './parameters.ts'
import { problemReferences } from './problems.ts'
import { schemaPart } from './schemas.ts'
import { selectionParameters, shownSchema } from './selection.ts'

export function collectionOperations(part: Part, telling: OperationContext): Operations {
  return pick(part.collectionMethods, {
    GET: () => list(part, telling, 'List'),
    HEAD: () => head(part, telling),
    POST: () => create(part, telling),
    QUERY: () => query(part, telling),
    OPTIONS: () => options(part, 'Options', 'OptionsOfCollection', telling),
  })
}

function list(part: Part, telling: OperationContext, name: string): Operation {
  const what = { name, summary: `List ${part.resource.name}`, right: 'read' } as const
  return {
    ...heading(part, what, telling),
    parameters: [...listParameters(part, telling), ...filterReferences(part, telling)],
    responses: {
      200: pageResponse(part, telling),
      ...notModified(telling),
      ...problemReferences(telling, [
        ...everyRequest,
        ...refusedCallers(part, 'read', telling),
        412,
      ]),
    },
  }
}

/** As GET; its filters are listed there alone. */
function head(part: Part, telling: OperationContext): Operation {
  const parameters = listParameters(part, telling)
  const description = 'Takes the filters of GET.'
  const operation = { ...list(part, telling, 'Head'), description, parameters }
  return headOf(operation, 'HeadOfCollection', telling)
}

/** RFC 10008: asks what a query string cannot, such as for alternatives. */
function query(part: Part, telling: OperationContext): Operation {
  const what = { name: 'Query', summary: `Query ${part.resource.name}`, right: 'read' } as const
  const types = telling.offer.accepted('QUERY', part.resource)
  return {
    ...heading(part, what, telling),
    parameters: listParameters(part, telling),
    requestBody: bodyOf(telling, types, { schema: filterReference(part, telling), example: {} }),
    responses: {
      200: pageResponse(part, telling),
      ...notModified(telling),
      ...problemReferences(telling, [
        ...everyRequest,
        ...refusedCallers(part, 'read', telling),
        ...[412, 413, 415, 422],
      ]),
    },
  }
}

function listParameters(part: Part, telling: OperationContext): readonly JsonSchema[] {
  const { components, offer } = telling
  const words = part.resource.search.length > 0 ? (['Words'] as const) : []
  const sort = `${pascalCase(part.resource.name)}.sort`
  return [
    ...parameterReferences(components, 'Limit', 'After', 'Before'),
    components.refer('parameters', sort, () => sortParameter(part)),
    ...selectionParameters(part, telling),
    ...parameterReferences(components, ...words),
    formatParameter(components, offer.shown.collection),
    ...parameterReferences(components, 'Prefer', 'IfMatch', 'IfNoneMatch'),
  ]
}

const pageFields: readonly HeaderName[] = [
  'ETag',
  'Link',
  'Accept-Ranges',
  'Content-Location',
  'Preference-Applied',
  'Total-Count',
  // Of a QUERY: the equivalent GET.
  'Location',
]

function pageResponse(part: Part, telling: OperationContext): JsonSchema {
  const { components, offer } = telling
  return components.refer('responses', `${pascalCase(part.resource.name)}.page`, () => {
    const schema = { type: 'array', items: shownSchema(part, telling), maxItems: greatestLimit }
    return {
      description: 'A page of the items that the caller may see.',
      headers: headersOf(components, pageFields),
      content: contentOf(components, offer.shown.collection, { schema }),
    }
  })
}

function create(part: Part, telling: OperationContext): Operation {
  const { components, offer } = telling
  const { resource } = part
  const summary = `Create one of ${resource.name}${resource.bulk ? ', or many' : ''}`
  const one = reference(part, 'Create', telling)
  const many = { type: 'array', items: one, minItems: 1, maxItems: offer.mostAtOnce }
  const content = resource.bulk ? { anyOf: [one, many] } : one
  // A secret in an answer is not stored, so the answer cannot be repeated.
  const key = resource.own ? [] : (['IdempotencyKey'] as const)
  return {
    ...heading(part, { name: 'Create', summary, right: 'create' }, telling),
    parameters: [
      formatParameter(components, offer.shown.item),
      ...parameterReferences(components, 'Prefer', ...key),
    ],
    requestBody: bodyOf(telling, offer.accepted('POST', resource), {
      schema: content,
      example: createExample(part),
    }),
    responses: {
      201: itemResponse(
        telling,
        'Created: where it is, and what it is where the caller may see it.',
        { schema: createdSchema(part, telling), location: true },
      ),
      ...problemReferences(telling, [
        ...everyRequest,
        ...refusedCallers(part, 'create', telling),
        ...refusedContent,
        409,
      ]),
    },
  }
}

function createdSchema(part: Part, telling: OperationContext): JsonSchema {
  const { resource } = part
  if (resource.own === 'tokens') return createdToken(part, telling)
  const item = reference(part, 'Item', telling)
  if (!resource.bulk) return item
  return { anyOf: [item, { type: 'array', items: item, maxItems: telling.offer.mostAtOnce }] }
}

/** The secret is shown where a token is made, and never again. */
function createdToken(part: Part, { components }: OperationContext): JsonSchema {
  const { resource } = part
  const sees = (field: FieldModel) => (field.name === 'token' ? 'always' : part.sees(field))
  return schemaPart(components, resource, rowSchema(resource, { ...part, sees }))
}
