/**
 * The credentials of accounts in the OpenAPI document of a service that requires second factors. Their operations are
 * the same in every service, so they are described briefly: JSON only, without filters. docs/reference/http.md has the
 * rest.
 */

import { credentialsName, credentialsRelation } from '../../definition/credentials-resource.ts'
import { confirmationCode, passkeyResponse } from '../../definition/current-password.ts'
import type { JsonSchema } from '../../definition/model.ts'
import { camelCase } from '../../describe/generated-names.ts'
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

interface BriefOperation {
  readonly method: 'get' | 'post' | 'delete'
  /** Below the account. */
  readonly route: string
  readonly name: string
  readonly summary: string
  readonly status: 200 | 201 | 204
  readonly shown?: 'list' | 'item' | 'secrets'
  readonly sent?: 'credential' | 'code'
}

const list = `/{id}/${credentialsRelation}`
const one = `${list}/{credential}`

const operations: readonly BriefOperation[] = [
  { method: 'get', route: list, name: 'List', summary: 'List credentials', status: 200, shown: 'list' },
  {
    method: 'post',
    route: list,
    name: 'Create',
    summary: 'Register an authenticator or a passkey, or make recovery codes; only this response has them',
    status: 201,
    shown: 'secrets',
    sent: 'credential',
  },
  { method: 'get', route: one, name: 'Get', summary: 'Get a credential', status: 200, shown: 'item' },
  { method: 'delete', route: one, name: 'Delete', summary: 'Revoke a credential', status: 204 },
  {
    method: 'post',
    route: `${one}/confirm`,
    name: 'Confirm',
    summary: 'Confirm an authenticator with a code, or a passkey; the first one comes with recovery codes',
    status: 200,
    shown: 'secrets',
    sent: 'code',
  },
]

/** The path items below accounts; none for an audience that has no credentials and may read none. */
export function credentialPaths(
  { model, ...context }: OperationContext,
  audience: Audience,
): readonly (readonly [route: string, path: JsonSchema])[] {
  const accounts = context.findPart(model.accounts?.resource)
  if (!model.accounts || model.accounts.secondFactor.size === 0) return []
  const table = model.ownTables.get(credentialsName)
  const part = table && findAudienceResource(table, audience)
  if (!accounts || accounts.may.read === 'never' || !part) return []
  const id = idParameter(context.components, accounts.resource)
  const credential = { ...idParameter(context.components, part.resource), name: 'credential' }
  const routes = Map.groupBy(operations, ({ route }) => route)
  return [...routes].map(([route, methods]) => {
    const parameters = [id, ...(route === list ? [] : [credential])]
    const described = methods.map((operation) => [
      operation.method,
      describeOperation(operation, { accounts, part }, { model, ...context }),
    ])
    return [`/${accounts.resource.name}${route}`, { parameters, ...Object.fromEntries(described) }]
  })
}

interface CredentialParts {
  readonly accounts: AudienceResource
  readonly part: AudienceResource
}

function describeOperation(
  { name, summary, status, shown, sent }: BriefOperation,
  { accounts, part }: CredentialParts,
  context: OperationContext,
): JsonSchema {
  const { components, capabilities } = context
  const { name: collection } = accounts.resource
  const content = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } })
  return {
    operationId: `${camelCase(collection)}_${credentialsRelation}${name}`,
    tags: [collection],
    summary,
    security: securityRequirements(capabilities.schemes, false),
    ...(shown === 'list' ? { parameters: parameterReferences(components, 'Limit', 'After') } : {}),
    ...(sent ? { requestBody: { required: true, ...content(sentSchema(sent, part, context)) } } : {}),
    responses: {
      [status]: {
        description: 'Done.',
        ...(status === 201 ? { headers: headerReferences(components, ['Location']) } : {}),
        ...(shown ? content(shownSchema(shown, part, context)) : {}),
      },
      '4XX': problemReference(context),
    },
  }
}

function sentSchema(
  sent: 'credential' | 'code',
  part: AudienceResource,
  context: OperationContext,
): JsonSchema {
  if (sent === 'credential') return schemaOf(part, 'Create', context)
  const fields = [confirmationCode, passkeyResponse]
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))
  return { type: 'object', minProperties: 1, maxProperties: 1, properties }
}

function shownSchema(
  shown: 'list' | 'item' | 'secrets',
  part: AudienceResource,
  context: OperationContext,
): JsonSchema {
  const item = schemaOf(part, 'Item', context)
  if (shown === 'item') return item
  if (shown === 'list') return { type: 'array', items: item, maxItems: maxLimit }
  const text = { type: 'string' }
  return {
    allOf: [
      item,
      {
        type: 'object',
        properties: {
          secret: text,
          uri: text,
          options: { type: 'object' },
          recoveryCodes: { type: 'array', items: text },
        },
      },
    ],
  }
}
