/** The operations of an item in an OpenAPI document. */

import type { JsonSchema } from '../definition/model.ts'
import { patchExample, rowExample } from './examples.ts'
import { withFileForm } from './file-form-schema.ts'
import type { OperationContext } from './operation-context.ts'
import {
  describeMethods,
  everyRequest,
  headOperation,
  itemResponse,
  moved,
  noContent,
  notModified,
  type Operation,
  type OperationHeading,
  type Operations,
  operationHeading,
  optionsOperation,
  refusedCallers,
  refusedContent,
  requestBody,
  schemaOf,
  writtenItem,
} from './operation-parts.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { problemReferences } from './problem-responses.ts'
import { formatParameter, idParameter, parameterReferences } from './request-parameters.ts'
import { selectionParameters, shownReference } from './selection-parameters.ts'

export function itemOperations(part: AudienceResource, context: OperationContext): Operations {
  return describeMethods(part.itemMethods, {
    GET: () => get(part, context, 'Get'),
    HEAD: () => headOperation(get(part, context, 'HeadItem'), 'HeadOfItem', context),
    PUT: () => replace(part, context),
    PATCH: () => patch(part, context),
    DELETE: () => remove(part, context),
    OPTIONS: () => optionsOperation(part, 'OptionsItem', 'OptionsOfItem', context),
  })
}

/** Returns the parameters of every method of an item. */
export function itemParameters(
  { resource }: AudienceResource,
  context: OperationContext,
): readonly JsonSchema[] {
  return [idParameter(context.components, resource)]
}

function get(part: AudienceResource, context: OperationContext, name: string): Operation {
  const { components, capabilities } = context
  const example = rowExample(part)
  return {
    ...operationHeading(part, { name, summary: `Get one of ${part.resource.name}`, right: 'read' }, context),
    parameters: [
      ...selectionParameters(part, context),
      formatParameter(components, capabilities.formats.item),
      ...parameterReferences(components, 'IfMatch', 'IfNoneMatch'),
    ],
    responses: {
      200: itemResponse(context, 'The item.', {
        schema: shownReference(part, context),
        streamed: true,
        ...(example && { example }),
      }),
      ...notModified(context),
      ...moved(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'read', context),
        ...absence(part),
        412,
      ]),
    },
  }
}

function replace(part: AudienceResource, context: OperationContext): Operation {
  const what = {
    name: 'Replace',
    summary: `Replace one of ${part.resource.name}`,
    right: 'update',
  } as const
  const schema = schemaOf(part, 'Replace', context)
  const types = context.capabilities.acceptedTypes('item', part.resource)
  const body = withFileForm(part, requestBody(context, types, { schema, example: undefined }))
  const creates = part.resource.put === 'create' && part.may.create !== 'never'
  const made = () =>
    itemResponse(context, 'Created.', {
      schema: schemaOf(part, 'Item', context),
      location: true,
    })
  return change(part, context, { what, body, responses: creates ? { 201: made() } : {} })
}

function patch(part: AudienceResource, context: OperationContext): Operation {
  const what = {
    name: 'Patch',
    summary: `Change one of ${part.resource.name}`,
    right: 'update',
  } as const
  const types = context.capabilities.acceptedTypes('patch', part.resource)
  const schema = schemaOf(part, 'Patch', context)
  const body = withFileForm(part, requestBody(context, types, { schema, example: patchExample(part) }))
  const operation = change(part, context, { what, body, responses: {} })
  const exclusive = exclusiveTransitions(part)
  if (exclusive === '') return operation
  return { ...operation, description: `${operation.description ?? ''} ${exclusive}`.trim() }
}

function exclusiveTransitions({ resource, writes }: AudienceResource): string {
  const transitions = resource.fields
    .filter((field) => writes(field) !== 'never')
    .flatMap(({ state }) => state?.transitions ?? [])
  return transitions
    .filter(({ exclusive }) => exclusive)
    .map(({ name, to }) => `'${name}' is exclusive: 409 if the state is already '${to}'.`)
    .join(' ')
}

interface WriteOperation {
  readonly what: OperationHeading
  readonly body: JsonSchema
  readonly responses: JsonSchema
}

function change(
  part: AudienceResource,
  context: OperationContext,
  { what, body, responses }: WriteOperation,
): Operation {
  const { components, capabilities } = context
  const key = what.name === 'Patch' ? (['IdempotencyKey'] as const) : []
  return {
    ...operationHeading(part, what, context),
    parameters: [
      formatParameter(components, capabilities.formats.item),
      ...parameterReferences(components, 'DryRun', 'Prefer', 'IfMatch', ...key),
    ],
    requestBody: body,
    responses: {
      200: writtenItem(part, context),
      ...responses,
      ...noContent(context),
      ...moved(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'update', context),
        ...absence(part),
        ...refusedContent,
        ...refusedCondition(part),
        409,
      ]),
    },
  }
}

function remove(part: AudienceResource, context: OperationContext): Operation {
  const what = {
    name: 'Delete',
    summary: `Delete one of ${part.resource.name}`,
    right: 'delete',
  } as const
  return {
    ...operationHeading(part, what, context),
    parameters: parameterReferences(context.components, 'DryRun', 'IfMatch'),
    responses: {
      ...noContent(context),
      ...moved(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'delete', context),
        ...absence(part),
        ...refusedCondition(part),
        409,
        507,
      ]),
    },
  }
}

/** Statuses of an item that is not there. */
export function absence({ resource }: AudienceResource): readonly number[] {
  return resource.tombstones ? [404, 410] : [404]
}

/** Statuses of a precondition that does not hold or is missing. */
export function refusedCondition({ resource }: AudienceResource): readonly number[] {
  return resource.conditional === 'required' ? [412, 428] : [412]
}
