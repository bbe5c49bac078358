/** Jobs in an OpenAPI document: the responses of background actions, and the cancellation. */

import type { JsonSchema } from '../../../definition/model.ts'
import { contentByMediaType } from '../../../describe/content-schemas.ts'
import { absence, itemParameters, refusedCondition } from '../../../describe/item-operations.ts'
import type { OperationContext } from '../../../describe/operation-context.ts'
import {
  everyRequest,
  operationHeading,
  optionsOperation,
  refusedCallers,
  schemaOf,
  writtenItem,
} from '../../../describe/operation-parts.ts'
import type { AudienceResource } from '../../../describe/permitted-resources.ts'
import { problemReferences } from '../../../describe/problem-responses.ts'
import { formatParameter, parameterReferences } from '../../../describe/request-parameters.ts'
import { type HeaderName, headerReferences } from '../../../describe/response-headers.ts'
import { jobsName, jobsOf } from './jobs-resource.ts'

/** The responses of a background action: the queued job, or its end where the client waited for it. */
export function backgroundResponses(context: OperationContext): JsonSchema {
  return {
    200: jobResponse(context, 'EndedJob', {
      description: 'The job has ended while the client waited for it.',
      fields: [],
    }),
    202: jobResponse(context, 'QueuedJob', {
      description: 'The job has not ended. Location is its URI.',
      fields: ['Location', 'Retry-After'],
    }),
  }
}

interface JobResponse {
  readonly description: string
  readonly fields: readonly HeaderName[]
}

function jobResponse(
  context: OperationContext,
  name: string,
  { description, fields }: JobResponse,
): JsonSchema {
  const { components, capabilities, model, findPart } = context
  return components.refer('responses', name, () => {
    const part = findPart(jobsOf(model))
    const schema = part ? schemaOf(part, 'Item', context) : { type: 'object' }
    return {
      description,
      headers: headerReferences(components, ['Content-Location', 'Preference-Applied', ...fields]),
      content: contentByMediaType(components, capabilities.formats.item, { schema }),
    }
  })
}

/** The path item of the cancellation of jobs; none for other resources. */
export function cancellationPaths(
  part: AudienceResource,
  context: OperationContext,
): readonly (readonly [route: string, path: JsonSchema])[] {
  if (part.resource.builtIn !== jobsName || part.may.update === 'never') return []
  const what = { name: 'Cancel', summary: 'Cancel a job', right: 'update' } as const
  const { components, capabilities } = context
  const post = {
    ...operationHeading(part, what, context),
    parameters: [
      formatParameter(components, capabilities.formats.item),
      ...parameterReferences(components, 'Prefer', 'IfMatch'),
    ],
    responses: {
      200: writtenItem(part, context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'update', context),
        ...absence(part),
        ...refusedCondition(part),
        409,
      ]),
    },
  }
  const options = optionsOperation(part, 'OptionsCancel', 'OptionsOfAction', context)
  return [
    [`/${part.resource.name}/{id}/cancel`, { parameters: itemParameters(part, context), post, options }],
  ]
}
