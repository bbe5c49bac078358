/** The operations of a file in an OpenAPI document. */

import { fileMethods } from '../definition/file-methods.ts'
import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { formDataType } from '../http/multipart.ts'
import { fileSchema } from './file-form-schema.ts'
import { upperFirst } from './generated-names.ts'
import { absence, refusedCondition } from './item-operations.ts'
import type { OperationContext } from './operation-context.ts'
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
} from './operation-parts.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { problemReferences } from './problem-responses.ts'
import { parameterReferences } from './request-parameters.ts'
import { headerReferences } from './response-headers.ts'

/** The files that the audience may see. */
export function fileFields({ resource, sees }: AudienceResource): readonly FieldModel[] {
  return resource.fields.filter((field) => field.file && sees(field) !== 'never')
}

/** The methods of a file that the audience may use. */
export function audienceFileMethods(
  { resource, may, writes }: AudienceResource,
  field: FieldModel,
): readonly string[] {
  const isWritable = may.update !== 'never' && writes(field) !== 'never'
  return [...fileMethods(resource, field)].filter((method) => {
    if (method === 'OPTIONS') return true
    return method === 'GET' || method === 'HEAD' ? may.read !== 'never' : isWritable
  })
}

export function fileOperations(
  part: AudienceResource,
  field: FieldModel,
  context: OperationContext,
): Operations {
  const name = upperFirst(field.name)
  return describeMethods(audienceFileMethods(part, field), {
    GET: () => get(part, field, context, `Get${name}`),
    HEAD: () => headOperation(get(part, field, context, `Head${name}`), 'HeadOfFile', context),
    PUT: () => put(part, field, context),
    DELETE: () => remove(part, field, context),
    OPTIONS: () => optionsOperation(part, `Options${name}`, 'OptionsOfFile', context),
  })
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
function fileContent({ file }: FieldModel): JsonSchema {
  return Object.fromEntries((file?.types ?? []).map((type) => [type, {}]))
}

function put(part: AudienceResource, field: FieldModel, context: OperationContext): Operation {
  const { components } = context
  const { name } = field
  const form = {
    type: 'object',
    properties: { [name]: fileSchema },
    required: [name],
  }
  const summary = `Upload the ${name} of one of ${part.resource.name}`
  const headers = headerReferences(components, ['ETag', 'Upload-Complete', 'Upload-Offset'])
  const begun = { ...headers, ...headerReferences(components, ['Location', 'Upload-Limit']) }
  return {
    ...operationHeading(part, { name: `Put${upperFirst(name)}`, summary, right: 'update' }, context),
    parameters: parameterReferences(
      components,
      'ContentDisposition',
      'ReprDigest',
      'IfMatch',
      'IfNoneMatch',
      'UploadVersion',
      'UploadComplete',
      'UploadLength',
    ),
    requestBody: {
      required: true,
      content: { ...fileContent(field), [formDataType]: { schema: form } },
    },
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

function remove(part: AudienceResource, { name }: FieldModel, context: OperationContext): Operation {
  const summary = `Remove the ${name} of one of ${part.resource.name}`
  return {
    ...operationHeading(part, { name: `Delete${upperFirst(name)}`, summary, right: 'update' }, context),
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
