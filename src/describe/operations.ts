/** The operations of a resource: each method with its parameters, content and every answer. */

import type { JsonSchema } from '../declare/model.ts'
import { greatestLimit } from '../query/list-query.ts'
import type { Part, Right } from './audience.ts'
import { createExample, type Example, patchExample, rowExample } from './example.ts'
import { type HeaderName, headersOf } from './headers.ts'
import { contentOf } from './media.ts'
import { camelCase, pascalCase } from './naming.ts'
import type { FormatOffer, Offer } from './offer.ts'
import { formatParameter, idParameter, parameterReferences } from './parameters.ts'
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
  /** Whether to tell by which rules: only those who run the service are told. */
  readonly rules: boolean
}

export function collectionOperations(part: Part, telling: Telling): Operations {
  return pick(part.collectionMethods, {
    GET: () => list(part, telling, 'List'),
    HEAD: () => withoutContent(list(part, telling, 'Head')),
    POST: () => create(part, telling),
    OPTIONS: () => options(part, 'Options', ['Accept-Post', 'Accept-Query']),
  })
}

export function itemOperations(part: Part, telling: Telling): Operations {
  return pick(part.itemMethods, {
    GET: () => get(part, telling, 'Get'),
    HEAD: () => withoutContent(get(part, telling, 'HeadItem')),
    PUT: () => replace(part, telling),
    PATCH: () => patch(part, telling),
    DELETE: () => remove(part, telling),
    OPTIONS: () => options(part, 'OptionsItem', ['Accept-Patch']),
  })
}

/** The parameters that every method of the item has. */
export function itemParameters({ resource }: Part): readonly JsonSchema[] {
  return [idParameter(resource)]
}

function pick(methods: readonly string[], makers: Record<string, () => Operation>): Operations {
  const known = methods.flatMap((method) => {
    const make = makers[method]
    return make ? [[method, make()] as const] : []
  })
  return Object.fromEntries(known)
}

const pageFields: readonly HeaderName[] = [
  'ETag',
  'Link',
  'Accept-Ranges',
  'Content-Location',
  'Preference-Applied',
  'Total-Count',
]
const itemFields: readonly HeaderName[] = [
  'ETag',
  'Last-Modified',
  'Link',
  'Accept-Ranges',
  'Content-Location',
  'Preference-Applied',
]

function list(part: Part, telling: Telling, name: string): Operation {
  const { offer } = telling
  const formats = offer.shown.collection
  const items = { type: 'array', items: reference(part, 'Item'), maxItems: greatestLimit }
  const row = rowExample(part)
  return {
    ...heading(part, { name, summary: `List ${part.resource.name}`, right: 'read' }, telling),
    parameters: [
      ...parameterReferences('Limit', 'After'),
      formatParameter(formats),
      ...parameterReferences('IfMatch', 'IfNoneMatch'),
    ],
    responses: {
      200: {
        description: 'A page of the items that the caller may see.',
        headers: headersOf(pageFields),
        content: contentOf(formats, { schema: items, ...(row ? { example: [row] } : {}) }),
      },
      304: notModified,
      ...problemReferences([...everyRequest, ...refusedCallers(part, 'read', offer), 412]),
    },
  }
}

function create(part: Part, telling: Telling): Operation {
  const { offer } = telling
  const what = {
    name: 'Create',
    summary: `Create one of ${part.resource.name}`,
    right: 'create',
  } as const
  return {
    ...heading(part, what, telling),
    parameters: [formatParameter(offer.shown.item)],
    requestBody: bodyOf(offer.accepted('POST'), reference(part, 'Create'), createExample(part)),
    responses: {
      201: {
        description: 'Created: where it is, and what it is where the caller may see it.',
        headers: headersOf(['Location', ...itemFields]),
        content: itemContent(part, offer.shown.item),
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

function get(part: Part, telling: Telling, name: string): Operation {
  const { offer } = telling
  return {
    ...heading(part, { name, summary: `Get one of ${part.resource.name}`, right: 'read' }, telling),
    parameters: [
      formatParameter(offer.shown.item),
      ...parameterReferences('IfMatch', 'IfNoneMatch'),
    ],
    responses: {
      200: {
        description: 'The item.',
        headers: headersOf(itemFields),
        content: itemContent(part, offer.shown.item),
      },
      304: notModified,
      ...movedResponse,
      ...problemReferences([
        ...everyRequest,
        ...refusedCallers(part, 'read', offer),
        ...absence(part),
        412,
      ]),
    },
  }
}

function replace(part: Part, telling: Telling): Operation {
  const what = {
    name: 'Replace',
    summary: `Replace one of ${part.resource.name}`,
    right: 'update',
  } as const
  const body = bodyOf(
    telling.offer.accepted('PUT'),
    reference(part, 'Replace'),
    createExample(part),
  )
  const creates = part.resource.put === 'create' && part.may.create !== 'never'
  const made = {
    description: 'There was none; now there is.',
    headers: headersOf(['Location', ...itemFields]),
    content: itemContent(part, telling.offer.shown.item),
  }
  return change(part, telling, { what, body, responses: creates ? { 201: made } : {} })
}

function patch(part: Part, telling: Telling): Operation {
  const what = {
    name: 'Patch',
    summary: `Change one of ${part.resource.name}`,
    right: 'update',
  } as const
  const body = bodyOf(telling.offer.accepted('PATCH'), reference(part, 'Patch'), patchExample(part))
  return change(part, telling, { what, body, responses: {} })
}

interface Change {
  readonly what: Heading
  readonly body: JsonSchema
  readonly responses: JsonSchema
}

function change(part: Part, telling: Telling, { what, body, responses }: Change): Operation {
  const { offer } = telling
  return {
    ...heading(part, what, telling),
    parameters: [formatParameter(offer.shown.item), ...parameterReferences('IfMatch')],
    requestBody: body,
    responses: {
      200: {
        description: 'The item as it is now.',
        headers: headersOf(itemFields),
        content: itemContent(part, offer.shown.item),
      },
      ...responses,
      204: { $ref: '#/components/responses/Done' },
      ...movedResponse,
      ...problemReferences([
        ...everyRequest,
        ...refusedCallers(part, 'update', offer),
        ...absence(part),
        ...refusedContent,
        ...refusedCondition(part),
        409,
      ]),
    },
  }
}

function remove(part: Part, telling: Telling): Operation {
  const { offer } = telling
  const what = {
    name: 'Delete',
    summary: `Delete one of ${part.resource.name}`,
    right: 'delete',
  } as const
  return {
    ...heading(part, what, telling),
    parameters: parameterReferences('IfMatch'),
    responses: {
      204: { $ref: '#/components/responses/Done' },
      ...movedResponse,
      ...problemReferences([
        ...everyRequest.filter((status) => status !== 406),
        ...refusedCallers(part, 'delete', offer),
        ...absence(part),
        ...refusedCondition(part),
        409,
        507,
      ]),
    },
  }
}

function options(part: Part, name: string, fields: readonly HeaderName[]): Operation {
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

interface Heading {
  readonly name: string
  readonly summary: string
  readonly right: Right
}

function heading(part: Part, { name, summary, right }: Heading, { offer, rules }: Telling) {
  const { resource } = part
  return {
    operationId: camelCase(resource.name) + name,
    tags: [resource.name],
    summary,
    description: rules ? `${summary}. For ${formatRule(resource.access[right])}.` : `${summary}.`,
    security: securityOf(offer.schemes, part.isOpen(right)),
  }
}

const everyRequest: readonly number[] = [400, 406, 414, 429, 500, 503]
const refusedContent: readonly number[] = [413, 415, 422, 507]

/** 401 even where anyone may: credentials that are not valid are refused everywhere. */
function refusedCallers(part: Part, right: Right, { schemes }: Offer): readonly number[] {
  if (schemes.length === 0 && part.may[right] === 'always') return []
  return [401, 403]
}

function absence({ resource }: Part): readonly number[] {
  return resource.tombstones ? [404, 410] : [404]
}

function refusedCondition({ resource }: Part): readonly number[] {
  return resource.conditional === 'required' ? [412, 428] : [412]
}

const notModified: JsonSchema = { $ref: '#/components/responses/NotModified' }
const movedResponse: JsonSchema = { 301: { $ref: '#/components/responses/Moved' } }

function itemContent(part: Part, formats: readonly FormatOffer[]): JsonSchema {
  const example = rowExample(part)
  return contentOf(formats, { schema: reference(part, 'Item'), ...(example ? { example } : {}) })
}

function bodyOf(types: readonly string[], schema: JsonSchema, example: Example | undefined) {
  const formats = types.map((mediaType) => ({ mediaType }))
  return {
    required: true,
    content: contentOf(formats, { schema, ...(example ? { example } : {}) }),
  }
}

function reference({ resource }: Part, title: string): JsonSchema {
  return { $ref: `#/components/schemas/${pascalCase(resource.name)}${title}` }
}

/** HEAD (RFC 9110 §9.3.2): as GET, and nothing of the content. */
function withoutContent(operation: Operation): Operation {
  const { responses, ...rest } = operation as Operation & { responses: JsonSchema }
  const bare = Object.entries(responses).map(([status, response]) => {
    const { content: _content, ...fields } = response as JsonSchema
    return [status, fields]
  })
  return { ...rest, summary: 'Header fields only', responses: Object.fromEntries(bare) }
}
