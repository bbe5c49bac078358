/** The schemas of a resource as they are published: each with a name, and a URI that resolves. */

import type { JsonSchema, Model } from '../declare/model.ts'
import { createSchema, patchSchema, replaceSchema, rowSchema } from '../declare/schema.ts'
import { formatPath } from '../http/target.ts'
import type { Part, Right } from './audience.ts'
import { pascalCase } from './naming.ts'

export interface PublishedSchema {
  /** The last segment of its URI: `articles`, `articles.create`. */
  readonly name: string
  /** What OpenAPI and generated code call it: `ArticlesItem`, `ArticlesCreate`. */
  readonly title: string
  readonly schema: JsonSchema
}

type Maker = (...given: Parameters<typeof rowSchema>) => JsonSchema

const makers: readonly { suffix: string; title: string; right: Right; make: Maker }[] = [
  { suffix: '', title: 'Item', right: 'read', make: rowSchema },
  { suffix: '.create', title: 'Create', right: 'create', make: createSchema },
  { suffix: '.replace', title: 'Replace', right: 'update', make: replaceSchema },
  { suffix: '.patch', title: 'Patch', right: 'update', make: patchSchema },
]

/** Those that the audience of the part has a use for; whoever may make an item sees what it made. */
export function schemasOf(part: Part): readonly PublishedSchema[] {
  const { resource, may } = part
  return makers
    .filter(({ right, title }) => may[right] !== 'never' || isNeeded(title, part))
    .map(({ suffix, title, make }) => ({
      name: resource.name + suffix,
      title: pascalCase(resource.name) + title,
      schema: make(resource, part),
    }))
}

/** What the operations refer to besides: a PUT may be there only to make items. */
function isNeeded(title: string, { may, itemMethods }: Part): boolean {
  if (title === 'Item') return may.create !== 'never' || may.update !== 'never'
  return title === 'Replace' && itemMethods.includes('PUT')
}

export function schemaUri({ base }: Model, name: string): string {
  return formatPath(base, ['schemas', name])
}

/** As a document of its own: JSON Schema 2020-12 with the URI it is found at. */
export function schemaDocument(model: Model, { name, schema }: PublishedSchema): JsonSchema {
  const { $schema, ...rest } = schema
  return { $schema, $id: schemaUri(model, name), ...rest }
}

/** As a part of an OpenAPI document, whose dialect and base are those of the whole. */
export function schemaComponent({ schema }: PublishedSchema): JsonSchema {
  const { $schema: _dialect, ...rest } = schema
  return rest
}
