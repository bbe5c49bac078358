/** The operations of a member of a set of references in an OpenAPI document. */

import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { hasMemberUris } from '../definition/relations.ts'
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
import { memberParameter, parameterReferences } from './request-parameters.ts'

/** The sets of references whose members the audience may add and remove by their URIs. */
export function memberFields({ resource, itemMethods, writes }: AudienceResource): readonly FieldModel[] {
  if (!itemMethods.includes('PATCH')) return []
  return resource.fields.filter((field) => hasMemberUris(resource, field) && writes(field) !== 'never')
}

/** Returns PUT, DELETE and OPTIONS of a member. */
export function memberOperations(
  part: AudienceResource,
  field: FieldModel,
  context: OperationContext,
): Operations {
  const { name } = field
  const collection = part.resource.name
  return {
    PUT: change(part, context, {
      name: `Add${upperFirst(name)}`,
      summary: `Add a member to ${name} of one of ${collection}`,
      further: [422],
    }),
    DELETE: change(part, context, {
      name: `Remove${upperFirst(name)}`,
      summary: `Remove a member from ${name} of one of ${collection}`,
      further: [],
    }),
    OPTIONS: optionsOperation(part, `Options${upperFirst(name)}Member`, 'OptionsOfMember', context),
  }
}

/** Returns the parameters of every method of a member. */
export function memberParameters(
  part: AudienceResource,
  { refs }: FieldModel,
  context: OperationContext,
): readonly JsonSchema[] {
  return [
    ...itemParameters(part, context),
    ...(refs ? [memberParameter(context.components, refs.resource)] : []),
  ]
}

interface MemberChange {
  readonly name: string
  readonly summary: string
  /** Further statuses. */
  readonly further: readonly number[]
}

function change(
  part: AudienceResource,
  context: OperationContext,
  { name, summary, further }: MemberChange,
): Operation {
  return {
    ...operationHeading(part, { name, summary, right: 'update' }, context),
    parameters: parameterReferences(context.components, 'IfMatch'),
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
