/**
 * `/webhooks` in the OpenAPI document of a service that declares webhooks. Its operations are the same in
 * every service, so they are described briefly: JSON only, without filters. docs/reference/http.md has the rest.
 */

import type { JsonSchema, Model } from '../../definition/model.ts'
import { schemaWithSecret } from '../../describe/collection-operations.ts'
import type { OperationContext } from '../../describe/operation-context.ts'
import { schemaOf } from '../../describe/operation-parts.ts'
import {
  type Audience,
  type AudienceResource,
  findAudienceResource,
} from '../../describe/permitted-resources.ts'
import { problemReference } from '../../describe/problem-responses.ts'
import { idParameter, parameterReferences } from '../../describe/request-parameters.ts'
import { headerReferences } from '../../describe/response-headers.ts'
import { securityRequirements } from '../../describe/security-schemes.ts'
import { maxLimit } from '../../query/list-query.ts'
import { deliveriesName, webhooksName } from './webhooks-resource.ts'

/** The parts of the webhooks and of their deliveries that the audience may use. */
export interface WebhookParts {
  readonly webhooks: AudienceResource
  readonly deliveries: AudienceResource
}

/** Undefined where the definition does not declare webhooks, and for an audience that may have none. */
export function findWebhookParts(
  model: Model,
  audience: Audience,
  parts: readonly AudienceResource[],
): WebhookParts | undefined {
  if (!model.declaresWebhooks) return undefined
  const webhooks = parts.find(({ resource }) => resource.builtIn === webhooksName)
  const below = model.ownTables.get(deliveriesName)
  const deliveries = below && findAudienceResource(below, audience)
  return webhooks && deliveries && { webhooks, deliveries }
}

type Shown = 'webhook' | 'webhooks' | 'secret' | 'delivery' | 'deliveries'

interface BriefOperation {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  readonly route: string
  readonly name: string
  readonly summary: string
  readonly status: 200 | 201 | 202 | 204
  /** The content of the response and of the request; none without. */
  readonly shown?: Shown
  readonly sent?: 'Create' | 'Patch'
}

const sentTypes = { Create: 'application/json', Patch: 'application/merge-patch+json' } as const

/** Routes below the collection. */
const one = '/{id}'
const attempts = `${one}/deliveries`
const attempt = `${attempts}/{delivery}`

const operations: readonly BriefOperation[] = [
  {
    method: 'get',
    route: '',
    name: 'List',
    summary: 'List your webhooks',
    status: 200,
    shown: 'webhooks',
  },
  {
    method: 'post',
    route: '',
    name: 'Create',
    summary: 'Create a webhook; only this response has its secret',
    status: 201,
    shown: 'secret',
    sent: 'Create',
  },
  {
    method: 'get',
    route: one,
    name: 'Get',
    summary: 'Get a webhook',
    status: 200,
    shown: 'webhook',
  },
  {
    method: 'patch',
    route: one,
    name: 'Patch',
    summary: 'Change a webhook',
    status: 200,
    shown: 'webhook',
    sent: 'Patch',
  },
  {
    method: 'delete',
    route: one,
    name: 'Delete',
    summary: 'Delete a webhook',
    status: 204,
  },
  { method: 'post', route: `${one}/ping`, name: 'Ping', summary: 'Send a test', status: 202 },
  {
    method: 'post',
    route: `${one}/rotate`,
    name: 'Rotate',
    summary: 'Replace the secret; the previous one signs for another day',
    status: 200,
    shown: 'secret',
  },
  {
    method: 'get',
    route: attempts,
    name: 'ListDeliveries',
    summary: 'List the attempts to deliver messages',
    status: 200,
    shown: 'deliveries',
  },
  {
    method: 'get',
    route: attempt,
    name: 'GetDelivery',
    summary: 'Get an attempt',
    status: 200,
    shown: 'delivery',
  },
  {
    method: 'post',
    route: `${attempt}/redeliver`,
    name: 'Redeliver',
    summary: 'Send the message again; 409 when its change is not kept any more',
    status: 202,
  },
]

/** The path items: their routes and their descriptions. */
export function webhookPaths(
  parts: WebhookParts,
  context: OperationContext,
): readonly (readonly [route: string, path: JsonSchema])[] {
  const id = idParameter(context.components, parts.webhooks.resource)
  const delivery = { ...id, name: 'delivery' }
  const routes = Map.groupBy(operations, ({ route }) => route)
  return [...routes].map(([route, methods]) => {
    const parameters = [id, delivery].filter(({ name }) => route.includes(`{${name}}`))
    const described = methods.map((one) => [one.method, describeOperation(one, parts, context)])
    const path = `/${parts.webhooks.resource.name}${route}`
    return [path, { ...(parameters.length > 0 ? { parameters } : {}), ...Object.fromEntries(described) }]
  })
}

function describeOperation(
  { name, summary, status, shown, sent }: BriefOperation,
  parts: WebhookParts,
  context: OperationContext,
): JsonSchema {
  const { components, capabilities } = context
  const isList = shown === 'webhooks' || shown === 'deliveries'
  const sentSchema = (title: 'Create' | 'Patch') => schemaOf(parts.webhooks, title, context)
  const isMade = status === 201 || status === 202
  const content = (schema: JsonSchema, type = 'application/json') => ({ content: { [type]: { schema } } })
  return {
    operationId: parts.webhooks.resource.name + name,
    tags: [parts.webhooks.resource.name],
    summary,
    security: securityRequirements(capabilities.schemes, false),
    ...(isList ? { parameters: parameterReferences(components, 'Limit', 'After') } : {}),
    ...(sent ? { requestBody: { required: true, ...content(sentSchema(sent), sentTypes[sent]) } } : {}),
    responses: {
      [status]: {
        description: 'Done.',
        ...(isMade ? { headers: headerReferences(components, ['Location']) } : {}),
        ...(shown ? content(shownSchema(shown, parts, context)) : {}),
      },
      '4XX': problemReference(context),
    },
  }
}

function shownSchema(
  shown: Shown,
  { webhooks, deliveries }: WebhookParts,
  context: OperationContext,
): JsonSchema {
  const listOf = (items: JsonSchema) => ({ type: 'array', items, maxItems: maxLimit })
  switch (shown) {
    case 'webhook':
      return schemaOf(webhooks, 'Item', context)
    case 'webhooks':
      return listOf(schemaOf(webhooks, 'Item', context))
    case 'secret':
      return context.components.refer('schemas', 'WebhooksCreated', () =>
        schemaWithSecret(webhooks, 'secret', context),
      )
    case 'delivery':
      return schemaOf(deliveries, 'Item', context)
    case 'deliveries':
      return listOf(schemaOf(deliveries, 'Item', context))
  }
}
