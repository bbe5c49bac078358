/** The operations of an element of a set of references in an OpenAPI document. */

import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { hasElementUris } from '../definition/relations.ts'
import { upperFirst } from './generated-names.ts'
import { absence, itemParameters, refusedCondition } from './item-operations.ts'
import type { OperationContext } from './operation-context.ts'
import {
  everyRequest,
  moved,
  noContent,
  type Operation,
  type Operations,
  operationHeading,
  optionsOperation,
  refusedCallers,
} from './operation-parts.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { problemReferences } from './problem-responses.ts'
import { elementParameter, parameterReferences } from './request-parameters.ts'

/** The sets of references whose elements the audience may add and remove by their URIs. */
export function elementFields({ resource, itemMethods, writes }: AudienceResource): readonly FieldModel[] {
  if (!itemMethods.includes('PATCH')) return []
  return resource.fields.filter((field) => hasElementUris(resource, field) && writes(field) !== 'never')
}

/** Returns PUT, DELETE and OPTIONS of an element. */
export function elementOperations(
  part: AudienceResource,
  field: FieldModel,
  context: OperationContext,
): Operations {
  const { name } = field
  const collection = part.resource.name
  return {
    PUT: change(part, context, {
      name: `Add${upperFirst(name)}`,
      summary: `Add an element to ${name} of one of ${collection}`,
      further: [422],
    }),
    DELETE: change(part, context, {
      name: `Remove${upperFirst(name)}`,
      summary: `Remove an element from ${name} of one of ${collection}`,
      further: [],
    }),
    OPTIONS: optionsOperation(part, `Options${upperFirst(name)}Member`, 'OptionsOfMember', context),
  }
}

/** Returns the parameters of every method of an element. */
export function elementParameters(
  part: AudienceResource,
  { refs }: FieldModel,
  context: OperationContext,
): readonly JsonSchema[] {
  return [
    ...itemParameters(part, context),
    ...(refs ? [elementParameter(context.components, refs.resource)] : []),
  ]
}

interface ElementChange {
  readonly name: string
  readonly summary: string
  /** Further statuses. */
  readonly further: readonly number[]
}

function change(
  part: AudienceResource,
  context: OperationContext,
  { name, summary, further }: ElementChange,
): Operation {
  return {
    ...operationHeading(part, { name, summary, right: 'update' }, context),
    parameters: parameterReferences(context.components, 'DryRun', 'IfMatch'),
    responses: {
      ...noContent(context),
      ...moved(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'update', context),
        ...absence(part),
        ...refusedCondition(part),
        ...further,
        507,
      ]),
    },
  }
}
