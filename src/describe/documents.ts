/** The service's own documents in an OpenAPI document: paths that are no collections. */

import { hash } from 'node:crypto'
import { scopesOf } from '../access/principal.ts'
import { permits } from '../access/scopes.ts'
import type { JsonSchema, Model } from '../declare/model.ts'
import { answerReference } from './answers.ts'
import type { Audience } from './audience.ts'
import { headersOf } from './headers.ts'
import { contentOf } from './media.ts'
import { camelCase, upperFirst } from './naming.ts'
import type { DocumentOffer, Offer } from './offer.ts'
import { headOf, notModified } from './operation.ts'
import type { OperationContext } from './operation-context.ts'
import { formatParameter, parameterReferences } from './parameters.ts'
import { otherProblems, problemReferences } from './problems.ts'
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

/** The path item of a document. */
export function documentPath(document: DocumentOffer, telling: OperationContext): JsonSchema {
  const { components, offer } = telling
  const { route, summary } = document
  const variable = /\{(\w+)\}/.exec(route)?.[1]
  const name = nameOf(route)
  const read = {
    tags: ['service'],
    summary,
    ...(document.audience ? { description: 'For those who run the service.' } : {}),
    ...(document.audience ? { security: securityOf(offer.schemes, false) } : {}),
    parameters: [
      formatParameter(components, document.formats),
      ...parameterReferences(components, 'IfMatch', 'IfNoneMatch'),
    ],
    responses: {
      200: documentResponse(document, telling),
      ...notModified(telling),
      ...problemReferences(telling, variable ? [404] : []),
    },
  }
  return {
    ...(variable ? { parameters: [pathParameter(variable, document)] } : {}),
    get: { operationId: `get${name}`, ...read },
    head: headOf({ operationId: `head${name}`, ...read }, 'HeadOfDocument', telling),
    options: {
      operationId: `options${name}`,
      tags: ['service'],
      summary: 'What can be done here',
      responses: {
        204: answerReference(components, 'OptionsOfDocument'),
        ...otherProblems(telling),
      },
    },
  }
}

/** Documents that look alike share a description. */
function documentResponse(
  { formats, schema }: DocumentOffer,
  { components }: OperationContext,
): JsonSchema {
  const content = contentOf(components, formats, { schema })
  const digest = hash('sha256', JSON.stringify(content), 'hex').slice(0, 8)
  return components.refer('responses', `Document.${digest}`, () => ({
    description: 'The document.',
    headers: headersOf(components, ['Accept-Ranges', 'ETag', 'Link', 'Content-Location']),
    content,
  }))
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
