/** The operations of files and lists of files in an OpenAPI document. */

import { findFileModel, isFileList } from '../../definition/file-fields.ts'
import { fileListMethods, fileMethods, listedFileMethods } from '../../definition/file-methods.ts'
import type { FieldModel, JsonSchema } from '../../definition/model.ts'
import { fileSchema, partSchema } from '../../describe/file-form-schema.ts'
import { upperFirst } from '../../describe/generated-names.ts'
import { absence, refusedCondition } from '../../describe/item-operations.ts'
import type { OperationContext } from '../../describe/operation-context.ts'
import {
  describeMethods,
  everyRequest,
  headOperation,
  moved,
  noContent,
  notModified,
  type Operation,
  type Operations,
  operationHeading,
  optionsOperation,
  refusedCallers,
  refusedContent,
} from '../../describe/operation-parts.ts'
import type { AudienceResource } from '../../describe/permitted-resources.ts'
import { problemReferences } from '../../describe/problem-responses.ts'
import { parameterReferences } from '../../describe/request-parameters.ts'
import { headerReferences } from '../../describe/response-headers.ts'
import { formDataType } from '../../http/multipart.ts'

/** The files that the audience may see. */
export function fileFields({ resource, sees }: AudienceResource): readonly FieldModel[] {
  return resource.fields.filter((field) => findFileModel(field) && sees(field) !== 'never')
}

/** A file, a list of files, or a file of a list. */
export interface FileRoute {
  readonly field: FieldModel
  /** The path below the item. */
  readonly path: string
  readonly methods: ReadonlySet<string>
}

/** The URIs of files below an item, with the methods that the audience may use. */
export function fileRoutes(part: AudienceResource): readonly FileRoute[] {
  const { resource } = part
  return fileFields(part).flatMap((field) => {
    const { name } = field
    const routes: readonly FileRoute[] = isFileList(field)
      ? [
          { field, path: name, methods: fileListMethods(resource) },
          { field, path: `${name}/{file}`, methods: listedFileMethods(resource, field) },
        ]
      : [{ field, path: name, methods: fileMethods(resource, field) }]
    return routes.map((route) => ({ ...route, methods: new Set(permittedMethods(part, route)) }))
  })
}

function permittedMethods(
  { may, writes }: AudienceResource,
  { field, methods }: FileRoute,
): readonly string[] {
  const isWritable = may.update !== 'never' && writes(field) !== 'never'
  return [...methods].filter((method) => {
    if (method === 'OPTIONS') return true
    return method === 'GET' || method === 'HEAD' ? may.read !== 'never' : isWritable
  })
}

export function fileOperations(
  part: AudienceResource,
  { field, path, methods }: FileRoute,
  context: OperationContext,
): Operations {
  const name = upperFirst(field.name)
  const file = path === field.name ? name : `${name}File`
  return describeMethods([...methods], {
    GET: () => get(part, field, context, `Get${file}`),
    HEAD: () => headOperation(get(part, field, context, `Head${file}`), 'HeadOfFile', context),
    POST: () => add(part, field, context),
    PUT: () => put(part, field, context, `Put${file}`),
    DELETE: () => remove(part, field, context, `Delete${file}`),
    OPTIONS: () =>
      optionsOperation(
        part,
        `Options${file}`,
        methods.has('POST') ? 'OptionsOfAction' : 'OptionsOfFile',
        context,
      ),
  })
}

/** The parameter `file` of a route; none where it is not of a file in a list. */
export function fileParameters({ field, path }: FileRoute): readonly JsonSchema[] {
  if (path === field.name) return []
  const description = 'The last segment of the `href` of the file.'
  return [{ name: 'file', in: 'path', required: true, description, schema: { type: 'string' } }]
}

function get(part: AudienceResource, field: FieldModel, context: OperationContext, name: string): Operation {
  const { components } = context
  const summary = `Get the ${field.name} of one of ${part.resource.name}`
  const content = fileContent(field)
  return {
    ...operationHeading(part, { name, summary, right: 'read' }, context),
    parameters: parameterReferences(components, 'Range', 'IfRange', 'IfMatch', 'IfNoneMatch'),
    responses: {
      200: { description: 'The file.', headers: headerReferences(components, fileHeaders), content },
      206: {
        description: 'A part of the file (RFC 9110 §14).',
        headers: headerReferences(components, ['Content-Range', ...fileHeaders]),
        content,
      },
      ...notModified(context),
      ...moved(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'read', context),
        ...absence(part),
        412,
        416,
      ]),
    },
  }
}

const fileHeaders = ['ETag', 'Last-Modified', 'Repr-Digest', 'Content-Disposition'] as const

/** OpenAPI 3.1 describes octets by an empty schema. */
function fileContent(field: FieldModel): JsonSchema {
  return Object.fromEntries((findFileModel(field)?.types ?? []).map((type) => [type, {}]))
}

function add(part: AudienceResource, field: FieldModel, context: OperationContext): Operation {
  const { components } = context
  const { name } = field
  const summary = `Add to the ${name} of one of ${part.resource.name}`
  const fields = ['Location', 'ETag', 'Upload-Complete', 'Upload-Offset', 'Upload-Limit'] as const
  return {
    ...operationHeading(part, { name: `Add${upperFirst(name)}`, summary, right: 'update' }, context),
    parameters: parameterReferences(components, 'IdempotencyKey', ...sentParameters),
    requestBody: fileBody(field, partSchema(field)),
    responses: {
      201: {
        description:
          'The file was added: Location is its URI. Or a resumable upload was begun: Location is that of the upload.',
        headers: headerReferences(components, fields),
      },
      ...moved(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'update', context),
        ...absence(part),
        ...refusedContent,
        409,
        412,
      ]),
    },
  }
}

const sentParameters = [
  'ContentDisposition',
  'ReprDigest',
  'UploadVersion',
  'UploadComplete',
  'UploadLength',
] as const

/** The octets, or a form with them. */
function fileBody(field: FieldModel, schema: JsonSchema): JsonSchema {
  const { name } = field
  const form = { type: 'object', properties: { [name]: schema }, required: [name] }
  return { required: true, content: { ...fileContent(field), [formDataType]: { schema: form } } }
}

function put(part: AudienceResource, field: FieldModel, context: OperationContext, name: string): Operation {
  const { components } = context
  const summary = `Upload the ${field.name} of one of ${part.resource.name}`
  const headers = headerReferences(components, ['ETag', 'Upload-Complete', 'Upload-Offset'])
  const begun = { ...headers, ...headerReferences(components, ['Location', 'Upload-Limit']) }
  return {
    ...operationHeading(part, { name, summary, right: 'update' }, context),
    parameters: parameterReferences(components, 'IfMatch', 'IfNoneMatch', ...sentParameters),
    requestBody: fileBody(field, fileSchema),
    responses: {
      201: { description: 'The first file was stored, or a resumable upload was begun.', headers: begun },
      204: { description: 'The file was replaced.', headers },
      ...moved(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'update', context),
        ...absence(part),
        ...refusedContent,
        ...refusedCondition(part),
      ]),
    },
  }
}

function remove(
  part: AudienceResource,
  field: FieldModel,
  context: OperationContext,
  name: string,
): Operation {
  const summary = `Remove the ${field.name} of one of ${part.resource.name}`
  return {
    ...operationHeading(part, { name, summary, right: 'update' }, context),
    parameters: parameterReferences(context.components, 'IfMatch'),
    responses: {
      ...noContent(context),
      ...moved(context),
      ...problemReferences(context, [
        ...everyRequest,
        ...refusedCallers(part, 'update', context),
        ...absence(part),
        ...refusedCondition(part),
        507,
      ]),
    },
  }
}
