/** The operations of an item: what shows it, changes it and removes it. */

import type { JsonSchema } from '../declare/model.ts'
import type { Part } from './audience.ts'
import { patchExample, rowExample } from './example.ts'
import {
  bodyOf,
  done,
  everyRequest,
  type Heading,
  heading,
  headOf,
  itemResponse,
  moved,
  notModified,
  type Operation,
  type Operations,
  options,
  pick,
  reference,
  refusedCallers,
  refusedContent,
  writtenItem,
} from './operation.ts'
import type { OperationContext } from './operation-context.ts'
import { formatParameter, idParameter, parameterReferences } from './parameters.ts'
import { problemReferences } from './problems.ts'
import { selectionParameters, shownSchema } from './selection.ts'

export function itemOperations(part: Part, telling: OperationContext): Operations {
  return pick(part.itemMethods, {
    GET: () => get(part, telling, 'Get'),
    HEAD: () => headOf(get(part, telling, 'HeadItem'), 'HeadOfItem', telling),
    PUT: () => replace(part, telling),
    PATCH: () => patch(part, telling),
    DELETE: () => remove(part, telling),
    OPTIONS: () => options(part, 'OptionsItem', 'OptionsOfItem', telling),
  })
}

/** The parameters that every method of the item has. */
export function itemParameters(
  { resource }: Part,
  telling: OperationContext,
): readonly JsonSchema[] {
  return [idParameter(telling.components, resource)]
}

function get(part: Part, telling: OperationContext, name: string): Operation {
  const { components, offer } = telling
  const example = rowExample(part)
  return {
    ...heading(part, { name, summary: `Get one of ${part.resource.name}`, right: 'read' }, telling),
    parameters: [
      ...selectionParameters(part, telling),
      formatParameter(components, offer.shown.item),
      ...parameterReferences(components, 'IfMatch', 'IfNoneMatch'),
    ],
    responses: {
      200: itemResponse(telling, 'The item.', {
        schema: shownSchema(part, telling),
        ...(example && { example }),
      }),
      ...notModified(telling),
      ...moved(telling),
      ...problemReferences(telling, [
        ...everyRequest,
        ...refusedCallers(part, 'read', telling),
        ...absence(part),
        412,
      ]),
    },
  }
}

function replace(part: Part, telling: OperationContext): Operation {
  const what = {
    name: 'Replace',
    summary: `Replace one of ${part.resource.name}`,
    right: 'update',
  } as const
  const schema = reference(part, 'Replace', telling)
  const types = telling.offer.accepted('PUT', part.resource)
  const body = bodyOf(telling, types, { schema, example: undefined })
  const creates = part.resource.put === 'create' && part.may.create !== 'never'
  const made = () =>
    itemResponse(telling, 'There was none; now there is.', {
      schema: reference(part, 'Item', telling),
      location: true,
    })
  return change(part, telling, { what, body, responses: creates ? { 201: made() } : {} })
}

function patch(part: Part, telling: OperationContext): Operation {
  const what = {
    name: 'Patch',
    summary: `Change one of ${part.resource.name}`,
    right: 'update',
  } as const
  const body = bodyOf(telling, telling.offer.accepted('PATCH', part.resource), {
    schema: reference(part, 'Patch', telling),
    example: patchExample(part),
  })
  const operation = change(part, telling, { what, body, responses: {} })
  const exclusive = exclusiveTransitions(part)
  if (exclusive === '') return operation
  return { ...operation, description: `${operation.description ?? ''} ${exclusive}`.trim() }
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

function change(
  part: Part,
  telling: OperationContext,
  { what, body, responses }: Change,
): Operation {
  const { components, offer } = telling
  const key = what.name === 'Patch' ? (['IdempotencyKey'] as const) : []
  return {
    ...heading(part, what, telling),
    parameters: [
      formatParameter(components, offer.shown.item),
      ...parameterReferences(components, 'Prefer', 'IfMatch', ...key),
    ],
    requestBody: body,
    responses: {
      200: writtenItem(part, telling),
      ...responses,
      ...done(telling),
      ...moved(telling),
      ...problemReferences(telling, [
        ...everyRequest,
        ...refusedCallers(part, 'update', telling),
        ...absence(part),
        ...refusedContent,
        ...refusedCondition(part),
        409,
      ]),
    },
  }
}

function remove(part: Part, telling: OperationContext): Operation {
  const what = {
    name: 'Delete',
    summary: `Delete one of ${part.resource.name}`,
    right: 'delete',
  } as const
  return {
    ...heading(part, what, telling),
    parameters: parameterReferences(telling.components, 'IfMatch'),
    responses: {
      ...done(telling),
      ...moved(telling),
      ...problemReferences(telling, [
        ...everyRequest,
        ...refusedCallers(part, 'delete', telling),
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
