/** The successes of operations in an OpenAPI document, for each content in the table of operations. */

import { hash } from 'node:crypto'
import { jobsOf } from '../definition/job.ts'
import { createSchema, rowSchema } from '../definition/json-schemas.ts'
import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { hasRows } from '../definition/result-rows.ts'
import { maxGroups } from '../query/aggregation.ts'
import { maxLimit } from '../query/list-query.ts'
import type { DocumentCapability } from '../requests/context/capabilities.ts'
import type { ResponseContent } from '../requests/context/operations.ts'
import { feedSchema } from '../requests/events/feed-page.ts'
import { aggregateReference } from './aggregate-parameters.ts'
import type { Components } from './component-registry.ts'
import { contentByMediaType } from './content-schemas.ts'
import { type Example, rowExample } from './examples.ts'
import { camelCase, pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import { fieldsShownInPart } from './own-actions.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { fileFields, type Place, partOf } from './places.ts'
import { fileContent, octetsOfTypes } from './request-bodies.ts'
import { schemaPart, schemaReference } from './resource-schemas.ts'
import { type HeaderName, headerReferences } from './response-headers.ts'
import { shownReference } from './selection-parameters.ts'
import { sharedResponseReference } from './shared-responses.ts'

/** A response at a place; undefined where the operation has none of this status there. */
type DescribeResponse = (place: Place, context: OperationContext, status: number) => JsonSchema | undefined

/** The response by what it shows. */
export const responseContents: Readonly<Record<ResponseContent, DescribeResponse>> = {
  item(place, context) {
    const part = partOf(place)
    const { formats, stream } = context.capabilities
    return {
      description: 'The item.',
      headers: headerReferences(context.components, itemFields),
      content: contentByMediaType(context.components, [...formats.item, stream], {
        schema: shownReference(part, context),
        ...exampleOf(part),
      }),
    }
  },
  written: (place, context) =>
    place.action === undefined || place.action.on === 'item'
      ? writtenItem(place, context)
      : madeItem(context),
  created: (place, context) => (createsAt(place) ? createdItem(partOf(place), context) : undefined),
  made: (_place, context) => madeItem(context),
  result: resultResponse,
  items: itemsResponse,
  elsewhere: (_place, context) =>
    fieldsOnly(context, 'The code of the action leads to the URI in Location.', ['Location']),
  job: (_place, context) => jobResponse(context, 'EndedJob'),
  'queued job': (_place, context) => jobResponse(context, 'QueuedJob'),
  own: ownResponse,
  page: (place, context) => pageResponse(partOf(place), context),
  document: (place, context) => place.document && documentResponse(place, place.document, context),
  groups: (place, context) => groupsResponse(partOf(place), context),
  links: (_place, context) => sharedResponseReference(context.components, 'Linkset'),
  events: (_place, context) => eventsResponse(context),
  posted: ({ document }, _context, status) => document?.posted && postedResponse(document.posted, status),
  file: (place, context) => fileResponse(place, context, 'The file.', fileHeaders),
  part: (place, context) =>
    fileResponse(place, context, 'A part of the file (RFC 9110 §14).', ['Content-Range', ...fileHeaders]),
  'added file': (_place, context) =>
    fieldsOnly(
      context,
      'The file was added: Location is its URI. Or a resumable upload was begun: Location is that of the upload.',
      ['Location', 'ETag', 'Upload-Complete', 'Upload-Offset', 'Upload-Limit'],
    ),
  'first file': (_place, context) =>
    fieldsOnly(context, 'The first file was stored, or a resumable upload was begun.', [
      ...(['ETag', 'Upload-Complete', 'Upload-Offset', 'Location', 'Upload-Limit'] as const),
    ]),
  'replaced file': (_place, context) =>
    fieldsOnly(context, 'The file was replaced.', ['ETag', 'Upload-Complete', 'Upload-Offset']),
  'complete upload': (_place, context) =>
    fieldsOnly(context, 'The upload is complete: the first file was stored, or a file was added to a list.', [
      ...uploadFields,
      'Location',
    ]),
  upload: (_place, context) =>
    fieldsOnly(
      context,
      'The content was added, and the upload continues at this offset or is complete.',
      uploadFields,
    ),
  mail: ({ part }, context) =>
    part && part.resource === context.model.accounts?.resource && context.model.accounts.signsUpByMail
      ? fieldsOnly(
          context,
          'A mail with a link was sent. The account comes into being when the link is used.',
          ['Cache-Control'],
        )
      : undefined,
  // OPTIONS is not described.
  methods: () => undefined,
  routed: () => ({ description: 'The response that the code of the route returns.' }),
  nothing: (_place, context) => sharedResponseReference(context.components, 'Done'),
}

const itemFields: readonly HeaderName[] = ['ETag', 'Last-Modified', 'Preference-Applied']
const fileHeaders: readonly HeaderName[] = ['ETag', 'Last-Modified', 'Repr-Digest', 'Content-Disposition']
const uploadFields: readonly HeaderName[] = [
  'Upload-Complete',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Limit',
]

/** A response without content. */
function fieldsOnly(
  { components }: OperationContext,
  description: string,
  fields: readonly HeaderName[],
): JsonSchema {
  return { description, headers: headerReferences(components, fields) }
}

function exampleOf(part: AudienceResource): { readonly example?: Example } {
  const example = rowExample(part)
  return example ? { example } : {}
}

/** Returns a reference to a response with an item of this schema. */
function itemResponse(
  { components, capabilities }: OperationContext,
  name: string,
  { description, fields, schema }: ItemResponse,
): JsonSchema {
  return components.refer('responses', name, () => ({
    description,
    headers: headerReferences(components, fields),
    content: contentByMediaType(components, capabilities.formats.item, { schema: schema() }),
  }))
}

interface ItemResponse {
  readonly description: string
  readonly fields: readonly HeaderName[]
  schema(): JsonSchema
}

/** The item after a write. */
function writtenItem(place: Place, context: OperationContext): JsonSchema {
  const part = partOf(place)
  return itemResponse(context, `${pascalCase(part.resource.name)}.written`, {
    description: 'The item after the change.',
    fields: itemFields,
    schema: () => schemaReference(context.components, part, 'Item'),
  })
}

/** Whether the operation creates an item here: a PUT does where the resource permits it. */
function createsAt({ kind, part }: Place): boolean {
  return kind !== 'item' || (part?.resource.put === 'create' && part.may.create !== 'never')
}

/** The new item; a dry run has it with another status. */
function createdItem(part: AudienceResource, context: OperationContext): JsonSchema {
  return itemResponse(context, `${pascalCase(part.resource.name)}.created`, {
    description:
      'The new item, if the caller may read it. Location has its URI, except in a dry run, whose status is 200.',
    fields: ['Location', ...itemFields],
    schema: () => createdSchema(part, context),
  })
}

function createdSchema(part: AudienceResource, { components, capabilities }: OperationContext): JsonSchema {
  const { resource } = part
  const secret = resource.traits.shownOnce
  if (secret !== undefined) return schemaWithSecret(part, secret, components)
  const item = schemaReference(components, part, 'Item')
  const secrets = fieldsShownInPart(resource)
  if (secrets.length > 0) return { allOf: [item, schemaOfTypes(secrets)] }
  if (!resource.bulk) return item
  return { anyOf: [item, { type: 'array', items: item, maxItems: capabilities.maxBulkItems }] }
}

/** The types of values that a response has or not. */
function schemaOfTypes(fields: readonly FieldModel[]): JsonSchema {
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, typeOnly(schema)]))
  return { type: 'object', properties }
}

function typeOnly({ type = 'object', items }: JsonSchema): JsonSchema {
  return items === undefined ? { type } : { type, items: typeOnly(items as JsonSchema) }
}

/** The schema of a response that has the secret, which no other response has. */
function schemaWithSecret(part: AudienceResource, secret: string, components: Components): JsonSchema {
  const { resource } = part
  const sees = (field: FieldModel) => (field.name === secret ? 'always' : part.sees(field))
  return schemaPart(components, resource, rowSchema(resource, { ...part, sees }))
}

/** Code decides what it makes, so its schema is not known. */
function madeItem(context: OperationContext): JsonSchema {
  return itemResponse(context, 'Made', {
    description: 'The action made an item, which Location names.',
    fields: ['Location', 'ETag', 'Preference-Applied'],
    schema: () => ({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  })
}

/** The declared result of an action. */
function resultResponse(place: Place, context: OperationContext, status: number): JsonSchema | undefined {
  const { components, capabilities } = context
  const { resource } = partOf(place)
  const { name, result, isSafe } = place.action ?? {}
  if (name === undefined || result?.kind !== 'members') return undefined
  const { members } = result
  // Its choices have schemas of their own, with a name that no collection has.
  const named = { ...members, name: `${resource.name}.${name}.result` }
  const schema = components.refer('schemas', `${pascalCase(resource.name)}.${camelCase(name)}Result`, () =>
    schemaPart(components, named, { ...createSchema(members), title: `${resource.name}: result of ${name}` }),
  )
  return {
    description:
      status === 201 ? 'The result. The action made an item, which Location names.' : 'The result.',
    headers: headerReferences(components, [
      ...(status === 201 ? (['Location'] as const) : []),
      isSafe ? 'ETag' : 'Preference-Applied',
    ]),
    content: contentByMediaType(components, capabilities.formats[hasRows(result) ? 'rows' : 'document'], {
      schema,
    }),
  }
}

/** The items that a query returns. */
function itemsResponse({ action }: Place, context: OperationContext): JsonSchema | undefined {
  if (action?.result?.kind !== 'items') return undefined
  const { components, capabilities, model, findPart } = context
  const part = findPart(model.resources.get(action.result.collection))
  const items = part ? shownReference(part, context) : { type: 'object' }
  const schema = { type: 'array', items, maxItems: maxLimit }
  return {
    description: 'The items, as far as the caller may see them.',
    headers: headerReferences(components, ['ETag']),
    content: contentByMediaType(components, capabilities.formats.collection, { schema }),
  }
}

const jobResponses = {
  EndedJob: { description: 'The job has ended while the client waited for it.', fields: [] },
  QueuedJob: {
    description: 'The job has not ended. Location is its URI.',
    fields: ['Location', 'Retry-After'],
  },
} as const

function jobResponse(context: OperationContext, name: keyof typeof jobResponses): JsonSchema {
  const { components, model, findPart } = context
  const { description, fields } = jobResponses[name]
  return itemResponse(context, name, {
    description,
    fields: ['Content-Location', 'Preference-Applied', ...fields],
    schema() {
      const part = findPart(jobsOf(model))
      return part ? schemaReference(components, part, 'Item') : { type: 'object' }
    },
  })
}

/** The response of an action of a built-in table: 202 without content, or 200 with what it shows. */
function ownResponse(place: Place, context: OperationContext, status: number): JsonSchema | undefined {
  const shows = place.own?.shows
  if (status === 202) return shows ? undefined : fieldsOnly(context, 'Accepted.', ['Location'])
  if (!shows) return undefined
  if (shows.length === 0) return writtenItem(place, context)
  const part = partOf(place)
  return itemResponse(context, `${pascalCase(part.resource.name)}.shownOnce`, {
    description: 'The item, with what no other response has.',
    fields: itemFields,
    schema: () => createdSchema(part, context),
  })
}

const pageFields: readonly HeaderName[] = ['ETag', 'Preference-Applied', 'Total-Count']

function pageResponse(part: AudienceResource, context: OperationContext): JsonSchema {
  const { components, capabilities } = context
  return components.refer('responses', `${pascalCase(part.resource.name)}.page`, () => {
    const schema = { type: 'array', items: shownReference(part, context), maxItems: maxLimit }
    return {
      description: 'A page of the items that the caller may see.',
      headers: headerReferences(components, pageFields),
      content: contentByMediaType(components, [...capabilities.formats.collection, capabilities.stream], {
        schema,
      }),
    }
  })
}

function groupsResponse(part: AudienceResource, context: OperationContext): JsonSchema {
  const { components, capabilities } = context
  return components.refer('responses', `${pascalCase(part.resource.name)}.groups`, () => {
    const schema = { type: 'array', items: aggregateReference(part, context), maxItems: maxGroups }
    return {
      description: 'The groups of the items that the caller may see.',
      headers: headerReferences(components, pageFields),
      content: contentByMediaType(components, capabilities.formats.aggregate, { schema }),
    }
  })
}

function eventsResponse({ components, capabilities }: OperationContext): JsonSchema {
  return components.refer('responses', 'Events', () => ({
    description: 'Changes that the caller may see, oldest first.',
    content: contentByMediaType(components, capabilities.formats.document, { schema: feedSchema }),
  }))
}

/** Documents with the same content share a response, and so do the histories of all items. */
function documentResponse(
  { part, name }: Place,
  { formats, schema }: DocumentCapability,
  { components }: OperationContext,
): JsonSchema {
  const content = contentByMediaType(components, formats, { schema })
  const digest = hash('sha256', JSON.stringify(content), 'hex').slice(0, 8)
  return components.refer('responses', part ? name : `Document.${digest}`, () => ({
    description: 'The document.',
    headers: headerReferences(components, ['ETag']),
    content,
  }))
}

/** The response to a POST; none with another status. */
function postedResponse(
  { response, ...posted }: NonNullable<DocumentCapability['posted']>,
  status: number,
): JsonSchema | undefined {
  if (status !== posted.status) return undefined
  return {
    description: status === 202 ? 'Accepted.' : 'Performed.',
    ...(response && { content: { 'application/json': { schema: response } } }),
  }
}

function fileResponse(
  { field, part, action }: Place,
  { components }: OperationContext,
  description: string,
  fields: readonly HeaderName[],
): JsonSchema | undefined {
  if (action?.result?.kind === 'file') {
    const { types } = action.result
    const sent = fields.filter((one) => one !== 'Last-Modified')
    return { description, headers: headerReferences(components, sent), content: octetsOfTypes(types) }
  }
  const held = field ? [field] : part ? fileFields(part) : []
  if (held.length === 0) return undefined
  return { description, headers: headerReferences(components, fields), content: fileContent(held) }
}
