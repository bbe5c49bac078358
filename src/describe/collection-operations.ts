/** The operations of a collection in an OpenAPI document. */

import { shownSecretOf } from '../definition/built-in-resources.ts'
import { createSchema, rowSchema } from '../definition/json-schemas.ts'
import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { maxGroups } from '../query/aggregation.ts'
import { maxLimit } from '../query/list-query.ts'
import { aggregateParameters, aggregateReference } from './aggregate-parameters.ts'
import { contentByMediaType } from './content-schemas.ts'
import { createExample } from './examples.ts'
import { withFileForm } from './file-form-schema.ts'
import { filterReference, filterReferences, sortParameter } from './filter-parameters.ts'
import { pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import {
  describeMethods,
  everyRequest,
  headOperation,
  itemResponse,
  noContent,
  notModified,
  type Operation,
  type Operations,
  operationHeading,
  optionsOperation,
  refusedCallers,
  refusedContent,
  requestBody,
  schemaOf,
} from './operation-parts.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { problemReferences } from './problem-responses.ts'
import { formatParameter, parameterReferences } from './request-parameters.ts'
import { schemaPart } from './resource-schemas.ts'
import { type HeaderName, headerReferences } from './response-headers.ts'
import { selectionParameters, shownReference } from './selection-parameters.ts'

/** The operations of a collection. `given`: the reference that the URI of a sub-collection sets. */
export function collectionOperations(
  part: AudienceResource,
  context: OperationContext,
  given?: FieldModel,
): Operations {
  return describeMethods(part.collectionMethods, {
    GET: () => list(part, context, 'List'),
    HEAD: () => head(part, context),
    POST: () => create(part, context, given),
    QUERY: () => query(part, context),
    OPTIONS: () => optionsOperation(part, 'Options', 'OptionsOfCollection', context),
  })
}

function list(part: AudienceResource, context: OperationContext, name: string): Operation {
  const what = { name, summary: `List ${part.resource.name}`, right: 'read' } as const
  return {
    ...operationHeading(part, what, context),
    parameters: [...listParameters(part, context), ...filterReferences(part, context)],
    responses: {
      200: pageResponse(part, context),
      ...notModified(context),
      ...problemReferences(context, [...everyRequest, ...refusedCallers(part, 'read', context), 412]),
    },
  }
}

/** Like GET; only GET lists the filters. */
function head(part: AudienceResource, context: OperationContext): Operation {
  const parameters = listParameters(part, context)
  const description = 'Takes the filters of GET.'
  const operation = { ...list(part, context, 'Head'), description, parameters }
  return headOperation(operation, 'HeadOfCollection', context)
}

/** QUERY (RFC 10008), for conditions that a query string cannot express. */
function query(part: AudienceResource, context: OperationContext): Operation {
  const what = { name: 'Query', summary: `Query ${part.resource.name}`, right: 'read' } as const
  const types = context.capabilities.acceptedTypes('filter', part.resource)
  return {
    ...operationHeading(part, what, context),
    parameters: listParameters(part, context),
    requestBody: requestBody(context, types, {
      schema: filterReference(part, context),
      example: {},
    }),
    responses: {
      200: pageResponse(part, context),
      ...notModified(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'read', context),
        ...[412, 413, 415, 422],
      ]),
    },
  }
}

function listParameters(part: AudienceResource, context: OperationContext): readonly JsonSchema[] {
  const { components, capabilities } = context
  const words = part.resource.search.length > 0 ? (['Words'] as const) : []
  const name = pascalCase(part.resource.name)
  const aggregating = Object.entries(aggregateParameters(part)).map(([end, describe]) =>
    components.refer('parameters', `${name}.${end}`, describe),
  )
  return [
    ...parameterReferences(components, 'Limit', 'After', 'Before'),
    components.refer('parameters', `${name}.sort`, () => sortParameter(part, context)),
    ...selectionParameters(part, context),
    ...aggregating,
    ...parameterReferences(components, ...words),
    formatParameter(components, capabilities.formats.collection),
    ...parameterReferences(components, 'Prefer', 'IfMatch', 'IfNoneMatch'),
  ]
}

const pageFields: readonly HeaderName[] = [
  'ETag',
  'Preference-Applied',
  'Total-Count',
  // The equivalent GET of a QUERY.
  'Location',
]

function pageResponse(part: AudienceResource, context: OperationContext): JsonSchema {
  const { components, capabilities } = context
  return components.refer('responses', `${pascalCase(part.resource.name)}.page`, () => {
    const items = { anyOf: [shownReference(part, context), aggregateReference(part, context)] }
    const schema = { type: 'array', items, maxItems: Math.max(maxLimit, maxGroups) }
    return {
      description: 'A page of the items that the caller may see, or with `aggregate` their groups.',
      headers: headerReferences(components, pageFields),
      content: contentByMediaType(components, [...capabilities.formats.collection, capabilities.stream], {
        schema,
      }),
    }
  })
}

function create(part: AudienceResource, context: OperationContext, given: FieldModel | undefined): Operation {
  const { components, capabilities } = context
  const { resource } = part
  const summary = `Create one of ${resource.name}${resource.bulk ? ', or many' : ''}`
  const one = given ? schemaWithin(part, given, context) : schemaOf(part, 'Create', context)
  const many = { type: 'array', items: one, minItems: 1, maxItems: capabilities.maxBulkItems }
  const content = resource.bulk ? { anyOf: [one, many] } : one
  // A response with a secret is not stored, so POST takes no Idempotency-Key.
  const key = shownSecretOf(resource) !== undefined ? [] : (['IdempotencyKey'] as const)
  const body = requestBody(context, capabilities.acceptedTypes('items', resource), {
    schema: content,
    example: createExample(given ? { ...part, writes: writesExcept(part, given) } : part),
  })
  return {
    ...operationHeading(part, { name: 'Create', summary, right: 'create' }, context),
    parameters: [
      formatParameter(components, capabilities.formats.item),
      ...parameterReferences(components, 'DryRun', 'Prefer', ...key),
    ],
    requestBody: withFileForm(part, body),
    responses: {
      200: createdItem(part, context),
      201: createdItem(part, context),
      ...signUpResponse(part, context),
      ...noContent(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'create', context),
        ...refusedContent,
        409,
      ]),
    },
  }
}

/** A sign-up by mail; administrators create accounts with 201. */
function signUpResponse({ resource }: AudienceResource, { model, components }: OperationContext): JsonSchema {
  const { accounts } = model
  if (!accounts?.signsUpByMail || resource !== accounts.resource) return {}
  const description = 'A mail with a link was sent. The account comes into being when the link is used.'
  return { 202: { description, headers: headerReferences(components, ['Cache-Control']) } }
}

function writesExcept({ writes }: AudienceResource, given: FieldModel): AudienceResource['writes'] {
  return (field) => (field === given ? 'never' : writes(field))
}

/** The content of a POST to a sub-collection may leave out the reference to the parent. */
function schemaWithin(part: AudienceResource, given: FieldModel, context: OperationContext): JsonSchema {
  const { components } = context
  const { resource } = part
  const { required, ...schema } = createSchema(resource, part)
  const names = (required as readonly string[] | undefined) ?? []
  if (!names.includes(given.name)) return schemaOf(part, 'Create', context)
  return components.refer('schemas', `${pascalCase(resource.name)}Create.${given.name}`, () =>
    schemaPart(components, resource, { ...schema, required: names.filter((name) => name !== given.name) }),
  )
}

/** Returns a reference to the response with the new item; a dry run has it with another status. */
function createdItem(part: AudienceResource, context: OperationContext): JsonSchema {
  return context.components.refer('responses', `${pascalCase(part.resource.name)}.created`, () =>
    itemResponse(
      context,
      'The new item, if the caller may read it. Location has its URI, except in a dry run, whose status is 200.',
      { schema: createdSchema(part, context), location: true },
    ),
  )
}

function createdSchema(part: AudienceResource, context: OperationContext): JsonSchema {
  const { resource } = part
  const secret = shownSecretOf(resource)
  if (secret !== undefined) return schemaWithSecret(part, secret, context)
  const item = schemaOf(part, 'Item', context)
  if (!resource.bulk) return item
  return {
    anyOf: [item, { type: 'array', items: item, maxItems: context.capabilities.maxBulkItems }],
  }
}

/** The schema of a response that has the secret, which no other response has. */
export function schemaWithSecret(
  part: AudienceResource,
  secret: string,
  { components }: OperationContext,
): JsonSchema {
  const { resource } = part
  const sees = (field: FieldModel) => (field.name === secret ? 'always' : part.sees(field))
  return schemaPart(components, resource, rowSchema(resource, { ...part, sees }))
}
