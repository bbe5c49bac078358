/** /schemas and /schemas/{name}: the JSON Schemas of what the caller may see. */

import type { JsonSchema } from '../../definition/model.ts'
import { schemaFormats } from '../../formats/text-documents.ts'
import { refuse } from '../../refusal.ts'
import type { Document } from '../../requests/context/target.ts'
import { runInSlices } from '../../tools/time-slices.ts'
import { schemaUri } from '../../views/uri.ts'
import { audienceResourcesInSlices, findDescribedResource } from '../described-resources.ts'
import { schemaDocument, schemasOf } from '../resource-schemas.ts'

export const uris: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'string', format: 'uri-reference' },
}

export const schemaIndex: Document = {
  route: '/schemas',
  summary: 'The URIs of the JSON Schemas, by name',
  schema: uris,
  name: 'schemas',
  table: {
    title: 'Schemas',
    lead: 'The JSON Schemas of each collection: of its items, and of the content of requests.',
    empty: 'You may read no collection.',
    columns: [
      { name: 'collection', label: 'Collection', shows: 'collection', names: true },
      { name: 'schemas', label: 'Schemas', shows: 'links' },
    ],
  },
  personal: true,
  describesInterface: true,
  async load({ service: { model }, caller }) {
    const parts = await runInSlices(audienceResourcesInSlices(model, caller))
    const all = parts.flatMap(schemasOf).map(({ name }) => ({ name, href: schemaUri(model, name) }))
    const byCollection = Map.groupBy(all, ({ name }) => name.replace(/\..*$/, ''))
    const entries = [...byCollection].map(([collection, schemas]) => ({ collection, schemas }))
    return { data: Object.fromEntries(all.map(({ name, href }) => [name, href])), entries }
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
  describesInterface: true,
  formats: schemaFormats,
  load({ service: { model }, caller, target: { parameter = '' } }) {
    const resource = model.resources.get(parameter.split('.', 1)[0] ?? '')
    const part = resource && findDescribedResource(model, resource, caller)
    const found = part && schemasOf(part).find(({ name }) => name === parameter)
    if (!found) {
      throw refuse('not-found', {
        detail: 'This schema does not exist, or you do not have access to it.',
      })
    }
    return { data: JSON.stringify(schemaDocument(model, found)) }
  },
}
