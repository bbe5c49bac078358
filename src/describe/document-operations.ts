/** The paths of the service's own documents in an OpenAPI document. */

import { hash } from 'node:crypto'
import { isPermittedAdmin } from '../access/access-refusal.ts'
import type { JsonSchema, Model } from '../definition/model.ts'
import { explanationScope } from '../requests/explanations/access-explanation.ts'
import type { Capabilities, DocumentCapability } from './capability-types.ts'
import { contentByMediaType } from './content-schemas.ts'
import { camelCase, upperFirst } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import { headOperation, notModified, optionsResponses } from './operation-parts.ts'
import type { Audience } from './permitted-resources.ts'
import { problemReferences } from './problem-responses.ts'
import { formatParameter, parameterReferences, parametersByName } from './request-parameters.ts'
import { headerReferences } from './response-headers.ts'
import { securityRequirements } from './security-schemes.ts'

/** Returns the documents that the audience may see. */
export function documentsFor(
  model: Model,
  audience: Audience,
  { documents }: Capabilities,
): readonly DocumentCapability[] {
  return documents.filter((document) => maySee(model, audience, document))
}

function maySee(model: Model, audience: Audience, document: DocumentCapability): boolean {
  if (document.audience === undefined || audience === 'everyone') return true
  return isPermittedAdmin(model, audience, document.route.slice(1))
}

/** Whether the audience may ask what an account may do with an item. */
export function explainsAccess(model: Model, audience: Audience): boolean {
  if (audience === 'everyone') return model.accounts !== undefined
  return isPermittedAdmin(model, audience, explanationScope)
}

/** Returns the path item of a document. */
export function documentPath(document: DocumentCapability, context: OperationContext): JsonSchema {
  const { components, capabilities } = context
  const { route, summary } = document
  const variable = /\{(\w+)\}/.exec(route)?.[1]
  const name = nameOf(route)
  const everyParameter = [
    formatParameter(components, document.formats),
    ...parameterReferences(components, 'IfMatch', 'IfNoneMatch'),
  ]
  const read = {
    tags: ['service'],
    summary,
    ...(document.audience ? { description: 'For operators.' } : {}),
    ...(document.audience ? { security: securityRequirements(capabilities.schemes, false) } : {}),
    parameters: [...parametersByName(components, document.parameters), ...everyParameter],
    responses: {
      200: documentResponse(document, context),
      ...notModified(context),
      ...problemReferences(context, variable ? [400, 404] : [400]),
    },
  }
  return {
    ...(variable ? { parameters: [pathParameter(variable, document)] } : {}),
    get: { operationId: `get${name}`, ...read },
    // Only GET lists the parameters of the document.
    head: headOperation(
      { operationId: `head${name}`, ...read, parameters: everyParameter },
      'HeadOfDocument',
      context,
    ),
    ...(document.posted ? { post: postOperation(document.posted, name, context) } : {}),
    options: {
      operationId: `options${name}`,
      tags: ['service'],
      summary: 'Methods',
      responses: optionsResponses('OptionsOfDocument', context),
    },
  }
}

function postOperation(
  { summary, content, response, ...posted }: NonNullable<DocumentCapability['posted']>,
  name: string,
  context: OperationContext,
): JsonSchema {
  const status = posted.status ?? 200
  return {
    operationId: `post${name}`,
    tags: ['service'],
    summary,
    // Without content there is nothing to show in a dry run, and nothing to store for a repetition.
    ...(response && { parameters: parameterReferences(context.components, 'DryRun', 'IdempotencyKey') }),
    requestBody: { required: true, content: { 'application/json': { schema: content } } },
    responses: {
      [status]: {
        description: status === 202 ? 'Accepted.' : 'Performed.',
        ...(response && { content: { 'application/json': { schema: response } } }),
      },
      ...problemReferences(context, [400, 413, 415, 422, 429]),
    },
  }
}

/** Documents with the same content share a response. */
function documentResponse(
  { formats, schema }: DocumentCapability,
  { components }: OperationContext,
): JsonSchema {
  const content = contentByMediaType(components, formats, { schema })
  const digest = hash('sha256', JSON.stringify(content), 'hex').slice(0, 8)
  return components.refer('responses', `Document.${digest}`, () => ({
    description: 'The document.',
    headers: headerReferences(components, ['ETag']),
    content,
  }))
}

function pathParameter(name: string, { parameter }: DocumentCapability): JsonSchema {
  const description = 'The name of the entry.'
  return { name, in: 'path', required: true, description, schema: parameter ?? { type: 'string' } }
}

/** `/.well-known/api-catalog` as `WellKnownApiCatalog`, `/` as `Home`. */
function nameOf(route: string): string {
  const words = route.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.length === 0 ? 'Home' : words.map((word) => upperFirst(camelCase(word))).join('')
}
