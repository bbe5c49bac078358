/**
 * The OpenAPI description of the service, written from the model and from the tables that the
 * service itself goes by: 3.1, or 3.2, which knows QUERY.
 */

import type { JsonSchema, Model } from '../declare/model.ts'
import { finish } from '../steps.ts'
import { type Audience, type Part, partSteps } from './audience.ts'
import { collectionOperations } from './collection-operations.ts'
import { createComponents, formatMember } from './components.ts'
import { documentPath, documentsFor } from './documents.ts'
import { filterGuide } from './filters.ts'
import { everywhere, headersOf } from './headers.ts'
import { itemOperations, itemParameters } from './item-operations.ts'
import type { Offer } from './offer.ts'
import type { Operations } from './operation.ts'
import { securityComponents, securityOf } from './security.ts'
import type { Telling } from './telling.ts'

export type OpenApiVersion = '3.1' | '3.2'

export interface Described {
  readonly model: Model
  readonly audience: Audience
  readonly offer: Offer
  readonly version?: OpenApiVersion
}

/** The whole at once, for commands. */
export function openApiOf(described: Described): JsonSchema {
  return JSON.parse(finish(openApiSteps(described)))
}

/** Makes the text of the document, and yields after each resource. */
export function* openApiSteps(described: Described): Generator<undefined, string> {
  const { model, audience, offer, version = '3.1' } = described
  const parts = yield* partSteps(model, audience)
  const byResource = new Map(parts.map((part) => [part.resource, part]))
  const components = createComponents()
  const telling: Telling = {
    model,
    offer,
    components,
    partOf: (resource) => resource && byResource.get(resource),
    rules: audience === 'everyone',
  }
  const paths: string[] = []
  for (const part of parts) {
    for (const path of resourcePaths(part, telling, version)) paths.push(formatMember(path))
    yield
  }
  for (const document of documentsFor(model, audience, offer)) {
    paths.push(formatMember([document.route, JSON.stringify(documentPath(document, telling))]))
  }
  const common = JSON.stringify({ headers: headersOf(components, everywhere) })
  const security = JSON.stringify(securityComponents(offer.schemes))
  const sections = [...components.formatSections(), formatMember(['securitySchemes', security])]
  const members = [
    formatHead(described, parts),
    formatMember(['x-every-response', common]),
    formatMember(['paths', `{${paths.join()}}`]),
    formatMember(['components', `{${sections.join()}}`]),
  ]
  return `{${members.join()}}`
}

/** The first members, without brackets. */
function formatHead({ model, offer, version }: Described, parts: readonly Part[]): string {
  const head = {
    openapi: version === '3.2' ? '3.2.0' : '3.1.1',
    info: {
      title: model.title,
      version: '1.0.0',
      description: `${model.title}: a RESTful service. What it shows depends on who asks. ${filterGuide}`,
      // A definition does not say; an SPDX reference of one's own says that nothing was said.
      license: { name: 'Not stated', identifier: 'LicenseRef-not-stated' },
    },
    servers: [{ url: model.base === '' ? '/' : model.base }],
    tags: tagsOf(parts),
    // Of operations that do not say: those that someone without credentials may use too.
    security: securityOf(offer.schemes, true),
  }
  return JSON.stringify(head).slice(1, -1)
}

function tagsOf(parts: readonly Part[]): readonly JsonSchema[] {
  const own = { name: 'service', description: 'The service about itself.' }
  return [
    ...parts.map(({ resource }) => ({
      name: resource.name,
      description: `The collection \`/${resource.name}\` and its items.`,
    })),
    own,
  ]
}

type Path = readonly [route: string, text: string]

function resourcePaths(part: Part, telling: Telling, version: OpenApiVersion): readonly Path[] {
  const { name } = part.resource
  const collection = pathItem(collectionOperations(part, telling), version)
  const item = pathItem(itemOperations(part, telling), version)
  return [
    [`/${name}`, JSON.stringify(collection)],
    [`/${name}/{id}`, JSON.stringify({ parameters: itemParameters(part, telling), ...item })],
  ]
}

/** 3.1 has a closed list of methods, to which QUERY can only be an extension. */
function pathItem(operations: Operations, version: OpenApiVersion): JsonSchema {
  const entries = Object.entries(operations).map(([method, operation]) => {
    const key = method.toLowerCase()
    return [key === 'query' && version === '3.1' ? 'x-query' : key, operation]
  })
  return Object.fromEntries(entries)
}
