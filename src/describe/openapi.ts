/** The OpenAPI document of the service, generated from the model and the capabilities: 3.1, or 3.2 with QUERY. */

import { isPermittedAdmin } from '../access/access-refusal.ts'
import type { InterfaceVersion } from '../definition/interface-version.ts'
import type { JsonSchema, Model } from '../definition/model.ts'
import { escapeNoncharacters } from '../formats/xml-text.ts'
import {
  type Capabilities,
  capabilitiesInVersion,
  type DocumentCapability,
} from '../requests/context/capabilities.ts'
import { explanationScope } from '../requests/explanations/access-explanation.ts'
import { joinPieces, type Pieces } from '../tools/time-slices.ts'
import { createComponents, formatMember } from './component-registry.ts'
import { describePlace, securityComponents, securityRequirements } from './described-operations.ts'
import { audienceResourcesInSlices, describedParts } from './described-resources.ts'
import { filterGuide } from './filter-parameters.ts'
import type { OperationContext } from './operation-context.ts'
import type { Audience, AudienceResource } from './permitted-resources.ts'
import { documentPlace, type Place, placesOf, serviceActionPlaces, uploadPlaces } from './places.ts'
import { everyResponse } from './response-headers.ts'

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

/** Yields the text of the document in pieces. Tools read it as YAML too, which cannot contain some characters of patterns. */
export function* openApiPieces(described: OpenApiOptions): Pieces {
  for (const piece of rawPieces(described)) yield piece === undefined ? undefined : escapeNoncharacters(piece)
}

function* rawPieces(described: OpenApiOptions): Pieces {
  const { model, audience, version = '3.1' } = described
  const { shownVersion } = model
  const capabilities = shownVersion
    ? capabilitiesInVersion(described.capabilities, shownVersion)
    : described.capabilities
  const permitted = yield* audienceResourcesInSlices(model, audience)
  const { parts, byResource } = describedParts(model, audience, permitted)
  const components = createComponents()
  const context: OperationContext = {
    model,
    capabilities,
    components,
    findPart: (resource) => resource && byResource.get(resource),
    showsRules: audience === 'everyone',
  }
  yield `{${formatHead(described, parts)},"paths":{`
  const places = describedPlaces(
    parts.flatMap((part) => placesOf(part, context.findPart, capabilities.itemDocuments)),
  )
  for (const place of places) {
    const path = describePath(place, context, version)
    yield `${formatMember([place.route, JSON.stringify(shownVersion ? pathInVersion(path, shownVersion) : path)])},`
  }
  const own = describedPlaces([
    ...serviceActionPlaces(model, audience),
    ...uploadPlaces(model, places),
    ...capabilities.documents.filter((document) => maySee(model, audience, document)).map(documentPlace),
  ])
  const documents = own.map((place) =>
    formatMember([place.route, JSON.stringify(describePath(place, context, version))]),
  )
  const sent = describeSentRequests(permitted)
  const webhooks = sent ? `"webhooks":${JSON.stringify(sent.events)},` : ''
  yield `${documents.join()}},${webhooks}"x-every-response":${JSON.stringify(everyResponse)},"components":{`
  yield* components.formatSections()
  if (sent) yield `,"pathItems":${JSON.stringify(sent.pathItems)}`
  yield `,"securitySchemes":${JSON.stringify(securityComponents(capabilities.schemes))}}}`
}

/** The first members of the document, without braces. */
function formatHead(
  { model, audience, capabilities, version }: OpenApiOptions,
  parts: readonly AudienceResource[],
): string {
  const head = {
    openapi: version === '3.2' ? '3.2.0' : '3.1.1',
    info: informationOf(model, audience),
    servers: [{ url: model.base === '' ? '/' : model.base }],
    tags: tagsOf(parts),
    // The default, for operations that anonymous callers may use.
    security: securityRequirements(capabilities.schemes, true),
  }
  return JSON.stringify(head).slice(1, -1)
}

/** The definition's words about itself; what it does not state is not invented, also where tools ask for it. */
function informationOf(model: Model, audience: Audience): JsonSchema {
  const {
    version = 'Not stated',
    description = `${model.title}: a RESTful service.`,
    licence,
    contact,
  } = model.information
  const guide = `Responses depend on the rights of the caller. ${methodGuide}${filterGuide}`
  return {
    title: model.title,
    version: model.shownVersion?.name ?? version,
    description: `${description} ${guide}${explainsAccess(model, audience) ? explanationGuide : ''}`,
    ...(contact && { contact }),
    // SPDX permits own references.
    license: licence ?? { name: 'Not stated', identifier: 'LicenseRef-not-stated' },
  }
}

/** Said once, in place of operations. */
const methodGuide =
  'A URI with GET also has HEAD, with the same header fields and no content. Every URI has OPTIONS, with its methods in `Allow`. '

/** Said once, in place of an operation for each resource. */
const explanationGuide =
  ' GET of `/-/access?account=ID` below an item returns an array of what that account may do with it, and why.'

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

function maySee(model: Model, audience: Audience, document: DocumentCapability): boolean {
  if (audience === 'everyone') return true
  if (document.audience === undefined) return document.by?.kind !== 'nobody'
  return isPermittedAdmin(model, audience, document.route.slice(1))
}

/** Whether the audience may ask what an account may do with an item. */
function explainsAccess(model: Model, audience: Audience): boolean {
  if (audience === 'everyone') return model.accounts !== undefined
  return isPermittedAdmin(model, audience, explanationScope)
}

/** Every operation has the parameter that names the version; those of a deprecated version are deprecated. */
function pathInVersion(path: JsonSchema, { name, deprecated }: InterfaceVersion): JsonSchema {
  const { parameters = [], 'x-every-response': fields, ...operations } = path
  const schema = { type: 'string', enum: [name] }
  const parameter = { name: 'api-version', in: 'query', required: true, schema }
  const entries = Object.entries(operations).map(([method, operation]) => [
    method,
    deprecated === undefined ? operation : { ...(operation as object), deprecated: true },
  ])
  return {
    parameters: [...(parameters as readonly JsonSchema[]), parameter],
    ...Object.fromEntries(entries),
    ...(fields !== undefined && { 'x-every-response': fields }),
  }
}

/** OpenAPI 3.1 has no QUERY, so it is an extension there. */
function describePath(place: Place, context: OperationContext, version: OpenApiVersion): JsonSchema {
  const path = Object.entries(describePlace(place, context))
  const isExtension = (name: string) => name === 'query' && version === '3.1'
  return Object.fromEntries(path.map(([name, one]) => [isExtension(name) ? 'x-query' : name, one]))
}

/** HEAD and OPTIONS are the same everywhere, and would be half of all operations. An upload has HEAD in place of GET. */
function describedPlaces(places: readonly Place[]): readonly Place[] {
  return places.flatMap((place) => {
    const isOwn = (method: string) => method !== 'OPTIONS' && (method !== 'HEAD' || place.kind === 'upload')
    const methods = place.methods.filter(isOwn)
    return methods.length === 0 ? [] : [{ ...place, methods }]
  })
}

interface DescribedRequests {
  /** The events by name. All refer to one path item. */
  readonly events: JsonSchema
  readonly pathItems: JsonSchema
}

/** Undefined for an audience that may not create items for which requests are sent. */
function describeSentRequests(parts: readonly AudienceResource[]): DescribedRequests | undefined {
  const sender = parts.find(({ resource }) => resource.traits.sends)
  const sends = sender?.resource.traits.sends
  if (!sends || sender.may.create === 'never') return undefined
  const { name, events, pathItem } = sends
  const sending = parts.filter(({ resource, may }) => resource.declared && may.read !== 'never')
  const names = sending.flatMap(({ resource }) => events.map((kind) => `${resource.name}.${kind}`))
  return {
    events: Object.fromEntries(names.map((one) => [one, { $ref: `#/components/pathItems/${name}` }])),
    pathItems: { [name]: pathItem },
  }
}
