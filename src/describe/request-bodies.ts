/** The content of requests in an OpenAPI document, for each kind of content in the table of operations. */

import type { ProofName } from '../definition/built-in-table.ts'
import { proofs } from '../definition/current-password.ts'
import { findFileModel, isFileList } from '../definition/file-fields.ts'
import { createSchema } from '../definition/json-schemas.ts'
import type { ActionModel, FieldModel, JsonSchema, ResourceModel } from '../definition/model.ts'
import { hal } from '../formats/hal.ts'
import { formDataType } from '../http/multipart.ts'
import { partialUploadType } from '../http/upload-fields.ts'
import type { ContentKind } from '../requests/context/operations.ts'
import { contentByMediaType } from './content-schemas.ts'
import { createExample, type Example, inputExample, patchExample } from './examples.ts'
import { filterReference } from './filter-parameters.ts'
import { camelCase, pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { type Place, partOf } from './places.ts'
import { schemaPart, schemaReference, schemaWithin } from './resource-schemas.ts'

type DescribeBody = (place: Place, context: OperationContext) => JsonSchema | undefined

/** The request body by the kind of content; undefined where the operation has none at this place. */
export const requestBodies: Readonly<Record<ContentKind, DescribeBody>> = {
  items: (place, context) => withFileForm(partOf(place), itemsBody(place, context)),
  item(place, context) {
    const part = partOf(place)
    const schema = schemaReference(context.components, part, 'Replace')
    return withFileForm(part, bodyOf(context, 'item', { resource: part.resource, schema }))
  },
  patch(place, context) {
    const part = partOf(place)
    const schema = schemaReference(context.components, part, 'Patch')
    const shape = { resource: part.resource, schema, example: patchExample(part) }
    return withFileForm(part, bodyOf(context, 'patch', shape))
  },
  // RFC 10008, for conditions that a query string cannot express.
  filter(place, context) {
    const part = partOf(place)
    const schema = filterReference(part, context)
    return bodyOf(context, 'filter', { resource: part.resource, schema, example: {} })
  },
  input: ({ part, action }, context) => part && action && inputBody(part.resource, action, context),
  own: ({ own }) => own?.takes && jsonBody(oneMember(own.takes)),
  requests: documentBody,
  document: documentBody,
  octets: () => ({ content: { '*/*': {} } }),
  // Forms are for HTML pages.
  form: () => undefined,
  file: ({ kind, field }) => field && fileBody(field, kind === 'fileList' ? partSchema(field) : fileSchema),
  part: () => ({ required: true, content: { [partialUploadType]: { schema: fileSchema } } }),
}

/** The schema of content with one of the members. */
function oneMember(names: readonly ProofName[]): JsonSchema {
  const properties = Object.fromEntries(names.map((name) => [name, proofs[name].schema]))
  return { type: 'object', minProperties: 1, maxProperties: 1, properties }
}

interface BodyShape {
  readonly resource: ResourceModel
  readonly schema: JsonSchema
  readonly example?: Example | undefined
}

function bodyOf(
  { components, capabilities }: OperationContext,
  kind: ContentKind,
  { resource, schema, example }: BodyShape,
): JsonSchema {
  const formats = capabilities.acceptedTypes(kind, resource).map((mediaType) => ({ mediaType }))
  const content = contentByMediaType(components, formats, { schema, ...(example ? { example } : {}) })
  // Links are ignored.
  const sent = hal.mediaType in content ? { ...content, [hal.mediaType]: { schema } } : content
  return { required: true, content: sent }
}

function documentBody({ document }: Place, { model }: OperationContext): JsonSchema | undefined {
  return document?.posted && jsonBody(document.posted.contentOf(model))
}

function jsonBody(schema: JsonSchema): JsonSchema {
  return { required: true, content: { 'application/json': { schema } } }
}

function itemsBody(place: Place, context: OperationContext): JsonSchema {
  const part = partOf(place)
  const { resource } = part
  const { given } = place
  const create = () => schemaReference(context.components, part, 'Create')
  const one = given ? schemaWithin(context.components, part, given) : create()
  const many = { type: 'array', items: one, minItems: 1, maxItems: context.capabilities.maxBulkItems }
  const writes: AudienceResource['writes'] = (field) => (field === given ? 'never' : part.writes(field))
  return bodyOf(context, 'items', {
    resource,
    schema: resource.bulk ? { anyOf: [one, many] } : one,
    example: createExample({ ...part, writes }),
  })
}

/** The input of an action; none for an action without input. */
function inputBody(
  resource: ResourceModel,
  { name, input }: ActionModel,
  context: OperationContext,
): JsonSchema | undefined {
  if (input.fields.length === 0) return undefined
  const schema = context.components.refer(
    'schemas',
    `${pascalCase(resource.name)}.${camelCase(name)}Input`,
    () => inputPart(resource, { name, input }, context),
  )
  const required = input.fields.some((field) => field.required && field.default === undefined)
  return { ...bodyOf(context, 'input', { resource, schema, example: inputExample(input) }), required }
}

function inputPart(
  resource: ResourceModel,
  { name, input }: Pick<ActionModel, 'name' | 'input'>,
  { components }: OperationContext,
): JsonSchema {
  // Its choices have schemas of their own, with a name that no collection has.
  const named = { ...input, name: `${resource.name}.${name}` }
  return schemaPart(components, named, inputSchema(resource, name, input))
}

/** The members of the input of a query, as parameters. Those with objects are JSON. */
export function inputParameters(
  resource: ResourceModel,
  action: ActionModel,
  context: OperationContext,
): readonly JsonSchema[] {
  const { properties, required } = inputPart(resource, action, context)
  const needed = (required as readonly string[] | undefined) ?? []
  return action.input.fields.map(({ name, kind }) => {
    const schema = (properties as Readonly<Record<string, JsonSchema>>)[name] ?? {}
    const value = kind.shape === 'json' ? { content: { 'application/json': { schema } } } : { schema }
    return { name, in: 'query', ...(needed.includes(name) && { required: true }), ...value }
  })
}

/** The schema of the input of an action. */
export function inputSchema(resource: ResourceModel, name: string, input: ResourceModel): JsonSchema {
  return { ...createSchema(input), title: `${resource.name}: ${name}` }
}

/** The octets, or a form with them. */
function fileBody(field: FieldModel, schema: JsonSchema): JsonSchema {
  const form = { type: 'object', properties: { [field.name]: schema }, required: [field.name] }
  return { required: true, content: { ...fileContent([field]), [formDataType]: { schema: form } } }
}

export function fileContent(fields: readonly FieldModel[]): JsonSchema {
  return octetsOfTypes(fields.flatMap((field) => findFileModel(field)?.types ?? []))
}

/** OpenAPI 3.1 describes octets by an empty schema. */
export function octetsOfTypes(types: readonly string[]): JsonSchema {
  return Object.fromEntries(types.map((type) => [type, {}]))
}

/** The octets of a file in a form. */
const fileSchema: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' }

/** The body of a request, with the schema of its form where it takes one. Other values than files are texts. */
function withFileForm({ resource, writes }: AudienceResource, body: JsonSchema): JsonSchema {
  const content = body.content as JsonSchema
  if (!(formDataType in content)) return body
  const fields = resource.fields.filter((field) => findFileModel(field) && writes(field) !== 'never')
  return { ...body, content: { ...content, [formDataType]: { schema: formSchema(fields) } } }
}

function formSchema(fields: readonly FieldModel[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, partSchema(field)])),
    // A text, or several of a list.
    additionalProperties: true,
  }
}

/** A form has a part for each file of a list. */
function partSchema(field: FieldModel): JsonSchema {
  return isFileList(field) ? { type: 'array', items: fileSchema } : fileSchema
}
