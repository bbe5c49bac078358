/** The service about itself: OpenAPI, JSON Schemas, and code on demand. */

import type { Principal } from '../access/principal.ts'
import type { Document } from '../context/target.ts'
import type { JsonSchema, JsonValue, Model } from '../definition/model.ts'
import { audienceName, partOf, partSteps } from '../describe/audience.ts'
import { clientScript, clientTypePieces } from '../describe/client-source.ts'
import { keptDocument } from '../describe/document-cache.ts'
import { openApiPieces } from '../describe/openapi.ts'
import { schemaDocument, schemasOf, schemaUri } from '../describe/resource-schemas.ts'
import { refuse } from '../refusal.ts'
import {
  openApiFormats,
  schemaFormats,
  scriptFormats,
  typesFormats,
} from '../representations/text-documents.ts'
import { type Pieces, runInSlices } from '../tools/time-slices.ts'

/** A document that is the same for all callers of one kind. */
function keptFor(
  model: Model,
  caller: Principal,
  name: string,
  describe: () => Pieces,
): Promise<Uint8Array> {
  return keptDocument(model, `${name} ${audienceName(caller)}`, describe)
}

export const openApi: Document = {
  route: '/openapi.json',
  summary: 'The OpenAPI description of what the caller may see',
  schema: {
    type: 'object',
    properties: {
      openapi: { type: 'string' },
      info: { type: 'object' },
      paths: { type: 'object' },
    },
    required: ['openapi', 'info', 'paths'],
  },
  personal: true,
  formats: openApiFormats,
  show: (service, caller) =>
    keptFor(service.model, caller, 'openapi', () =>
      openApiPieces({
        model: service.model,
        audience: caller,
        capabilities: service.capabilities,
      }),
    ),
}

const uris: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'string', format: 'uri-reference' },
}

export const schemas: Document = {
  route: '/schemas',
  summary: 'The URIs of the JSON Schemas, by name',
  schema: uris,
  personal: true,
  async show({ model }, caller) {
    const parts = await runInSlices(partSteps(model, caller))
    const all = parts.flatMap(schemasOf)
    return Object.fromEntries(all.map(({ name }) => [name, schemaUri(model, name)]))
  },
}

export const schema: Document = {
  route: '/schemas/{name}',
  parameter: { type: 'string', pattern: '^[a-z0-9-]+(?:\\.[a-z]+)?$' },
  summary: 'A JSON Schema (2020-12)',
  schema: {
    type: 'object',
    properties: { $schema: { type: 'string' }, $id: { type: 'string' } },
    required: ['$schema', '$id'],
  },
  personal: true,
  formats: schemaFormats,
  async show({ model }, caller, parameter = '') {
    const resource = model.resources.get(parameter.split('.', 1)[0] ?? '')
    const part = resource && partOf(resource, caller)
    const found = part && schemasOf(part).find(({ name }) => name === parameter)
    if (!found) throw refuse('not-found', { detail: 'No schema of this name that you may see.' })
    // A schema is JSON; that its type does not say so is for its keywords to be any.
    return JSON.stringify(schemaDocument(model, found)) satisfies JsonValue
  },
}

export const script: Document = {
  route: '/client.js',
  summary: 'A client for this service: one ES module without imports',
  schema: { type: 'string' },
  personal: false,
  formats: scriptFormats,
  show: async () => clientScript(),
}

export const types: Document = {
  route: '/client.d.ts',
  summary: 'The TypeScript declarations of the client, for what the caller may see',
  schema: { type: 'string' },
  personal: true,
  formats: typesFormats,
  show: ({ model }, caller) =>
    keptFor(model, caller, 'client', () => clientTypePieces(model, caller)),
}
