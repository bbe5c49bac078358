/** Resumable uploads in an OpenAPI document. */

import type { JsonSchema } from '../../definition/model.ts'
import type { OperationContext } from '../../describe/operation-context.ts'
import { noContent, optionsResponses } from '../../describe/operation-parts.ts'
import type { AudienceResource } from '../../describe/permitted-resources.ts'
import { problemReferences } from '../../describe/problem-responses.ts'
import { parameterReferences } from '../../describe/request-parameters.ts'
import { headerReferences } from '../../describe/response-headers.ts'
import { partialUploadType } from '../../http/upload-fields.ts'
import { fileRoutes } from './describe-files.ts'

/** The path item of uploads; none where the audience may send no file. */
export function uploadPaths(
  parts: readonly AudienceResource[],
  context: OperationContext,
): readonly (readonly [route: string, path: JsonSchema])[] {
  const sendsFiles = parts.some((part) =>
    fileRoutes(part).some(({ methods }) => methods.has('PUT') || methods.has('POST')),
  )
  return sendsFiles ? [[`/${context.model.paths.uploads}/{id}`, uploadPath(context)]] : []
}

function uploadPath(context: OperationContext): JsonSchema {
  const { components } = context
  const state = headerReferences(components, [
    'Upload-Complete',
    'Upload-Offset',
    'Upload-Length',
    'Upload-Limit',
  ])
  const heading = { tags: ['service'] }
  return {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    head: {
      ...heading,
      operationId: 'headUpload',
      summary: 'How far an upload is',
      responses: {
        204: { description: 'The upload continues at this offset.', headers: state },
        ...problemReferences(context, [400, 401, 404, 429]),
      },
    },
    patch: {
      ...heading,
      operationId: 'patchUpload',
      summary: 'Continue an upload',
      parameters: parameterReferences(components, 'UploadComplete', 'UploadOffset', 'UploadLength'),
      requestBody: { required: true, content: { [partialUploadType]: {} } },
      responses: {
        201: {
          description: 'The upload is complete: the first file was stored, or a file was added to a list.',
          headers: { ...state, ...headerReferences(components, ['Location']) },
        },
        204: {
          description: 'The content was added, or it completed the upload of another file.',
          headers: state,
        },
        ...problemReferences(context, [400, 401, 403, 404, 409, 412, 413, 415, 422, 428, 429, 507]),
      },
    },
    delete: {
      ...heading,
      operationId: 'deleteUpload',
      summary: 'Give up an upload',
      responses: { ...noContent(context), ...problemReferences(context, [400, 401, 404, 429]) },
    },
    options: {
      ...heading,
      operationId: 'optionsUpload',
      summary: 'Methods',
      responses: optionsResponses('OptionsOfDocument', context),
    },
  }
}
