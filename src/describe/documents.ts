/** The service's own documents in an OpenAPI document: paths that are no collections. */

import { scopesOf } from '../access/principal.ts'
import { permits } from '../access/scopes.ts'
import type { JsonSchema, Model } from '../declare/model.ts'
import type { Audience } from './audience.ts'
import { headersOf } from './headers.ts'
import { contentOf } from './media.ts'
import { camelCase, upperFirst } from './naming.ts'
import type { DocumentOffer, Offer } from './offer.ts'
import { formatParameter, parameterReferences } from './parameters.ts'
import { problemReferences } from './problems.ts'
import { securityOf } from './security.ts'

/** The documents that the audience may see. */
export function documentsFor(
  model: Model,
  audience: Audience,
  { documents }: Offer,
): readonly DocumentOffer[] {
  return documents.filter((document) => maySee(model, audience, document))
}

function maySee({ accounts }: Model, audience: Audience, document: DocumentOffer): boolean {
  if (document.audience === undefined || audience === 'everyone') return true
  if (audience.kind === 'anonymous' || !accounts || !audience.roles.has(accounts.adminRole)) {
    return false
  }
  const scopes = scopesOf(audience)
  return scopes === undefined || permits(scopes, document.route.slice(1), 'read')
}

export function documentPaths(documents: readonly DocumentOffer[], offer: Offer): JsonSchema {
  return Object.fromEntries(
    documents.map((document) => [document.route, documentPath(document, offer)]),
  )
}

function documentPath(document: DocumentOffer, { schemes }: Offer): JsonSchema {
  const { route, summary, formats, schema } = document
  const variable = /\{(\w+)\}/.exec(route)?.[1]
  const name = nameOf(route)
  const headers = headersOf(['Accept-Ranges', 'ETag', 'Link', 'Content-Location'])
  const statuses = [400, 406, 414, 429, 500, 503, ...(variable ? [404] : [])]
  const callers = schemes.length > 0 ? [401, 403] : []
  const answer = { description: `${summary}.`, headers }
  const read = {
    tags: ['service'],
    security: securityOf(schemes, document.audience === undefined),
    parameters: [formatParameter(formats), ...parameterReferences('IfMatch', 'IfNoneMatch')],
  }
  const others = {
    304: { $ref: '#/components/responses/NotModified' },
    ...problemReferences([...statuses, ...callers, 412]),
  }
  return {
    ...(variable ? { parameters: [pathParameter(variable, document)] } : {}),
    get: {
      operationId: `get${name}`,
      summary,
      description: document.audience ? `${summary}. For those who run the service.` : `${summary}.`,
      ...read,
      responses: { 200: { ...answer, content: contentOf(formats, { schema }) }, ...others },
    },
    head: {
      operationId: `head${name}`,
      summary: 'Header fields only',
      description: `${summary}: the header fields of GET, and nothing of its content.`,
      ...read,
      responses: { 200: answer, ...others },
    },
    options: {
      operationId: `options${name}`,
      tags: ['service'],
      summary: 'What can be done here',
      description: 'The methods, the same for every caller.',
      security: [{}],
      responses: {
        204: { description: 'The methods.', headers: headersOf(['Allow']) },
        ...problemReferences([400, 414, 500, 503]),
      },
    },
  }
}

function pathParameter(name: string, { parameter }: DocumentOffer): JsonSchema {
  const description = 'Names the one that is meant.'
  return { name, in: 'path', required: true, description, schema: parameter ?? { type: 'string' } }
}

/** `/.well-known/api-catalog` as `WellKnownApiCatalog`, `/` as `Home`. */
function nameOf(route: string): string {
  const words = route.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.length === 0 ? 'Home' : words.map((word) => upperFirst(camelCase(word))).join('')
}
