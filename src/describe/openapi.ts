/** The OpenAPI document of the service, generated from the model and the capabilities: 3.1, or 3.2 with QUERY. */

import type { InterfaceVersion } from '../definition/interface-version.ts'
import type { JsonSchema, Model } from '../definition/model.ts'
import { fileOperations, fileParameters, fileRoutes } from '../features/files/describe-files.ts'
import { uploadPaths } from '../features/files/describe-uploads.ts'
import { historyPaths } from '../features/history/describe-histories.ts'
import { cancellationPaths } from '../features/logic/jobs/describe-jobs.ts'
import { credentialPaths } from '../features/second-factors/describe-credentials.ts'
import { findWebhookParts, webhookPaths } from '../features/webhooks/describe-webhooks.ts'
import { listSentEvents, sentPathItems } from '../features/webhooks/sent-requests.ts'
import { webhooksName } from '../features/webhooks/webhooks-resource.ts'
import { joinPieces, type Pieces } from '../tools/time-slices.ts'
import { actionPaths } from './action-operations.ts'
import { type Capabilities, capabilitiesInVersion } from './capability-types.ts'
import { collectionOperations } from './collection-operations.ts'
import { createComponents, formatMember } from './component-registry.ts'
import { audienceResourcesInSlices } from './described-resources.ts'
import { documentPath, documentsFor, explainsAccess } from './document-operations.ts'
import { elementFields, elementOperations, elementParameters } from './element-operations.ts'
import { filterGuide } from './filter-parameters.ts'
import { itemOperations, itemParameters } from './item-operations.ts'
import type { OperationContext } from './operation-context.ts'
import type { Operations } from './operation-parts.ts'
import type { Audience, AudienceResource } from './permitted-resources.ts'
import { everyResponse } from './response-headers.ts'
import { securityComponents, securityRequirements } from './security-schemes.ts'
import { audienceSubCollections, subCollectionOperations } from './sub-collections.ts'

export type OpenApiVersion = '3.1' | '3.2'

export interface OpenApiOptions {
  readonly model: Model
  readonly audience: Audience
  readonly capabilities: Capabilities
  readonly version?: OpenApiVersion
}

/** Returns the document, for commands. */
export function createOpenApi(described: OpenApiOptions): JsonSchema {
  return JSON.parse(joinPieces(openApiPieces(described)))
}

/** Yields the text of the document in pieces. */
export function* openApiPieces(described: OpenApiOptions): Pieces {
  const { model, audience, version = '3.1' } = described
  const { shownVersion } = model
  const capabilities = shownVersion
    ? capabilitiesInVersion(described.capabilities, shownVersion)
    : described.capabilities
  const permitted = yield* audienceResourcesInSlices(model, audience)
  const webhookParts = findWebhookParts(model, audience, permitted)
  const parts = permitted.filter(({ resource }) => resource.builtIn !== webhooksName)
  const byResource = new Map(parts.map((part) => [part.present ?? part.resource, part]))
  const components = createComponents()
  const context: OperationContext = {
    model,
    capabilities,
    components,
    findPart: (resource) => resource && byResource.get(resource),
    showsRules: audience === 'everyone',
  }
  yield `{${formatHead(described, webhookParts ? permitted : parts)},"paths":{`
  for (const part of parts) {
    for (const path of resourcePaths(part, context, version)) {
      yield `${formatMember(shownVersion ? pathInVersion(path, shownVersion) : path)},`
    }
  }
  if (webhookParts) {
    for (const [route, path] of webhookPaths(webhookParts, context)) {
      yield `${formatMember([route, JSON.stringify(path)])},`
    }
  }
  for (const [route, path] of credentialPaths(context, audience)) {
    yield `${formatMember([route, JSON.stringify(path)])},`
  }
  for (const [route, path] of uploadPaths(parts, context)) {
    yield `${formatMember([route, JSON.stringify(path)])},`
  }
  const documents = documentsFor(model, audience, capabilities).map((document) =>
    formatMember([document.route, JSON.stringify(documentPath(document, context))]),
  )
  const sent = listSentEvents(permitted)
  const webhooks = sent ? `"webhooks":${JSON.stringify(sent)},` : ''
  yield `${documents.join()}},${webhooks}"x-every-response":${JSON.stringify(everyResponse)},"components":{`
  yield* components.formatSections()
  if (sent) yield `,"pathItems":${JSON.stringify(sentPathItems)}`
  yield `,"securitySchemes":${JSON.stringify(securityComponents(capabilities.schemes))}}}`
}

/** The first members of the document, without braces. */
function formatHead(
  { model, audience, capabilities, version }: OpenApiOptions,
  parts: readonly AudienceResource[],
): string {
  const head = {
    openapi: version === '3.2' ? '3.2.0' : '3.1.1',
    info: {
      title: model.title,
      version: model.shownVersion?.name ?? '1.0.0',
      description: `${model.title}: a RESTful service. Responses depend on the rights of the caller. ${filterGuide}${explainsAccess(model, audience) ? explanationGuide : ''}`,
      // A definition has no license; SPDX allows own references.
      license: { name: 'Not stated', identifier: 'LicenseRef-not-stated' },
    },
    servers: [{ url: model.base === '' ? '/' : model.base }],
    tags: tagsOf(parts),
    // The default, for operations that anonymous callers may use.
    security: securityRequirements(capabilities.schemes, true),
  }
  return JSON.stringify(head).slice(1, -1)
}

/** Not a parameter of operations: with it, the response is no item. */
const explanationGuide =
  ' GET of an item with `?explain-access=LOGIN` returns an array of what that account may do with it, and why.'

function tagsOf(parts: readonly AudienceResource[]): readonly JsonSchema[] {
  const own = { name: 'service', description: 'Documents of the service itself.' }
  return [
    ...parts.map(({ resource }) => ({
      name: resource.name,
      description: `The collection \`/${resource.name}\` and its items.`,
    })),
    own,
  ]
}

type Path = readonly [route: string, text: string]

/** Every operation has the parameter that names the version; those of a deprecated version are deprecated. */
function pathInVersion([route, text]: Path, { name, deprecated }: InterfaceVersion): Path {
  const { parameters = [], ...operations } = JSON.parse(text)
  const schema = { type: 'string', enum: [name] }
  const parameter = { name: 'api-version', in: 'query', required: true, schema }
  const entries = Object.entries(operations).map(([method, operation]) => [
    method,
    deprecated === undefined ? operation : { ...(operation as object), deprecated: true },
  ])
  return [route, JSON.stringify({ parameters: [...parameters, parameter], ...Object.fromEntries(entries) })]
}

function* resourcePaths(
  part: AudienceResource,
  context: OperationContext,
  version: OpenApiVersion,
): Generator<Path> {
  const { name } = part.resource
  const collection = pathItem(collectionOperations(part, context), version)
  yield [`/${name}`, JSON.stringify(collection)]
  const item = pathItem(itemOperations(part, context), version)
  const parameters = itemParameters(part, context)
  yield [`/${name}/{id}`, JSON.stringify({ parameters, ...item })]
  for (const [route, path] of historyPaths(part, context)) yield [route, JSON.stringify(path)]
  for (const [route, path] of actionPaths(part, context)) yield [route, JSON.stringify(path)]
  for (const [route, path] of cancellationPaths(part, context)) yield [route, JSON.stringify(path)]
  for (const below of audienceSubCollections(part, context.findPart)) {
    const operations = pathItem(subCollectionOperations(part, below, context), version)
    yield [`/${name}/{id}/${below.relation.name}`, JSON.stringify({ parameters, ...operations })]
  }
  for (const route of fileRoutes(part)) {
    const operations = pathItem(fileOperations(part, route, context), version)
    const path = { parameters: [...parameters, ...fileParameters(route)], ...operations }
    yield [`/${name}/{id}/${route.path}`, JSON.stringify(path)]
  }
  for (const field of elementFields(part)) {
    const member = pathItem(elementOperations(part, field, context), version)
    const path = { parameters: elementParameters(part, field, context), ...member }
    yield [`/${name}/{id}/${field.name}/{element}`, JSON.stringify(path)]
  }
}

/** OpenAPI 3.1 has no QUERY, so it is an extension there. */
function pathItem(operations: Operations, version: OpenApiVersion): JsonSchema {
  const entries = Object.entries(operations).map(([method, operation]) => {
    const key = method.toLowerCase()
    return [key === 'query' && version === '3.1' ? 'x-query' : key, operation]
  })
  return Object.fromEntries(entries)
}
