/**
 * The OpenAPI description of the service, written from the model and from the tables that the
 * service itself goes by: 3.1, or 3.2, which knows QUERY.
 */

import type { JsonSchema, Model } from '../declare/model.ts'
import { answerComponents } from './answers.ts'
import { type Audience, type Part, partsOf, signatureOf } from './audience.ts'
import { collectionOperations } from './collection-operations.ts'
import { documentPaths, documentsFor } from './documents.ts'
import { filterComponents, filterSchema } from './filters.ts'
import { headerComponents } from './headers.ts'
import { itemOperations, itemParameters } from './item-operations.ts'
import { pascalCase } from './naming.ts'
import type { Offer } from './offer.ts'
import type { Operations, Telling } from './operation.ts'
import { parameterComponents } from './parameters.ts'
import { contentFaultSchema, problemResponses, problemSchema, statusesIn } from './problems.ts'
import { schemaComponent, schemasOf } from './schemas.ts'
import { securityComponents } from './security.ts'
import { referencesOf, selectionSchema } from './selection.ts'

export type OpenApiVersion = '3.1' | '3.2'

export interface Described {
  readonly model: Model
  readonly audience: Audience
  readonly offer: Offer
  readonly version?: OpenApiVersion
}

export function openApiOf({ model, audience, offer, version = '3.1' }: Described): JsonSchema {
  const parts = partsOf(model, audience)
  const telling = { offer, parts, rules: audience === 'everyone' }
  const paths = {
    ...resourcePaths(parts, telling, version),
    ...documentPaths(documentsFor(model, audience, offer), offer),
  }
  return {
    openapi: version === '3.2' ? '3.2.0' : '3.1.1',
    info: {
      title: model.title,
      version: '1.0.0',
      description: `${model.title}: a RESTful service. What it shows depends on who asks.`,
      // A definition does not say; an SPDX reference of one's own says that nothing was said.
      license: { name: 'Not stated', identifier: 'LicenseRef-not-stated' },
    },
    servers: [{ url: model.base === '' ? '/' : model.base }],
    tags: tagsOf(parts),
    paths,
    components: {
      schemas: {
        ...schemaComponents(parts),
        Problem: problemSchema(model),
        ContentFault: contentFaultSchema,
      },
      responses: { ...answerComponents, ...problemResponses(model, offer, statusesIn(paths)) },
      parameters: { ...parameterComponents(paths), ...filtersOf(parts) },
      headers: headerComponents(),
      securitySchemes: securityComponents(offer.schemes),
    },
  }
}

/** The text, made once for all callers to whom the same is shown. */
export function openApiTextOf(described: Described): string {
  const { model, audience, version = '3.1' } = described
  const routes = documentsFor(model, audience, described.offer).map(({ route }) => route)
  const parts = partsOf(model, audience)
  const name = JSON.stringify([version, audience === 'everyone', routes, signatureOf(parts)])
  let known = made.get(model)
  if (!known) {
    known = new Map()
    made.set(model, known)
  }
  let text = known.get(name)
  if (text === undefined) {
    text = JSON.stringify(openApiOf(described))
    // Roles and scopes can be combined in many ways; what few ask for need not be kept.
    if (known.size >= mostKept) known.clear()
    known.set(name, text)
  }
  return text
}

const made = new WeakMap<Model, Map<string, string>>()
const mostKept = 100

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

function resourcePaths(parts: readonly Part[], telling: Telling, version: OpenApiVersion) {
  const paths = parts.flatMap((part) => {
    const { name } = part.resource
    const item = pathItem(itemOperations(part, telling), version)
    return [
      [`/${name}`, pathItem(collectionOperations(part, telling), version)],
      [`/${name}/{id}`, { parameters: itemParameters(part), ...item }],
    ]
  })
  return Object.fromEntries(paths) as JsonSchema
}

/** 3.1 has a closed list of methods, to which QUERY can only be an extension. */
function pathItem(operations: Operations, version: OpenApiVersion): JsonSchema {
  const entries = Object.entries(operations).map(([method, operation]) => {
    const key = method.toLowerCase()
    return [key === 'query' && version === '3.1' ? 'x-query' : key, operation]
  })
  return Object.fromEntries(entries)
}

function filtersOf(parts: readonly Part[]): JsonSchema {
  const listed = parts.filter(({ collectionMethods }) => collectionMethods.some(isListing))
  return Object.assign({}, ...listed.map((part) => filterComponents(part, parts)))
}

function isListing(method: string): boolean {
  return method === 'GET' || method === 'QUERY'
}

function schemaComponents(parts: readonly Part[]): JsonSchema {
  const entries = parts.flatMap((part) => {
    const { may, resource, collectionMethods } = part
    const name = pascalCase(resource.name)
    const own = schemasOf(part).map((one) => [one.title, schemaComponent(one)] as const)
    const shown = may.read === 'never' ? [] : [selectionSchema(part, referencesOf(part, parts))]
    const filter = collectionMethods.includes('QUERY') ? [filterSchema(part, parts)] : []
    return [
      ...own,
      ...shown.map((schema) => [`${name}Selection`, schema] as const),
      ...filter.map((schema) => [`${name}Filter`, schema] as const),
    ]
  })
  return Object.fromEntries(entries)
}
