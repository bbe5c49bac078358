/** The operations of an item: what shows it, changes it and removes it. */

import type { JsonSchema } from '../declare/model.ts'
import type { Part } from './audience.ts'
import { createExample, patchExample, rowExample } from './example.ts'
import { headersOf } from './headers.ts'
import { contentOf } from './media.ts'
import {
  bodyOf,
  everyRequest,
  type Heading,
  heading,
  itemContent,
  itemFields,
  movedResponse,
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
import { formatParameter, idParameter, parameterReferences } from './parameters.ts'
import { problemReferences } from './problems.ts'
import { referencesOf, selectionParameters } from './selection.ts'

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

function get(part: Part, telling: Telling, name: string): Operation {
  const { offer } = telling
  const example = rowExample(part)
  return {
    ...heading(part, { name, summary: `Get one of ${part.resource.name}`, right: 'read' }, telling),
    parameters: [
      ...selectionParameters(part, referencesOf(part, telling.parts)),
      formatParameter(offer.shown.item),
      ...parameterReferences('IfMatch', 'IfNoneMatch'),
    ],
    responses: {
      200: {
        description: 'The item.',
        headers: headersOf(itemFields),
        content: contentOf(offer.shown.item, {
          schema: shownSchema(part),
          ...(example ? { example } : {}),
        }),
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
    telling.offer.accepted('PUT', part.resource),
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
  const body = bodyOf(
    telling.offer.accepted('PATCH', part.resource),
    reference(part, 'Patch'),
    patchExample(part),
  )
  const operation = change(part, telling, { what, body, responses: {} })
  const exclusive = exclusiveTransitions(part)
  if (exclusive === '') return operation
  return { ...operation, description: `${operation.description} ${exclusive}` }
}

function exclusiveTransitions({ resource, writes }: Part): string {
  const transitions = resource.fields
    .filter((field) => writes(field) !== 'never')
    .flatMap(({ state }) => state?.transitions ?? [])
  return transitions
    .filter(({ exclusive }) => exclusive)
    .map(({ name, to }) => `'${name}' is exclusive: when the state is '${to}' already, 409.`)
    .join(' ')
}

interface Change {
  readonly what: Heading
  readonly body: JsonSchema
  readonly responses: JsonSchema
}

function change(part: Part, telling: Telling, { what, body, responses }: Change): Operation {
  const { offer } = telling
  const keyed = what.name === 'Patch'
  return {
    ...heading(part, what, telling),
    parameters: [
      formatParameter(offer.shown.item),
      ...parameterReferences('Prefer', 'IfMatch', ...(keyed ? (['IdempotencyKey'] as const) : [])),
    ],
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

function absence({ resource }: Part): readonly number[] {
  return resource.tombstones ? [404, 410] : [404]
}

function refusedCondition({ resource }: Part): readonly number[] {
  return resource.conditional === 'required' ? [412, 428] : [412]
}
