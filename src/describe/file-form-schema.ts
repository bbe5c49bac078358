/** The content of a form with files in an OpenAPI document. */

import { findFileModel, isFileList } from '../definition/file-fields.ts'
import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { formDataType } from '../http/multipart.ts'
import type { AudienceResource } from './permitted-resources.ts'

/** The octets of a file in a form. */
export const fileSchema: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' }

/** The body of a request, with the schema of its form where it takes one. Other values than files are texts. */
export function withFileForm({ resource, writes }: AudienceResource, body: JsonSchema): JsonSchema {
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
export function partSchema(field: FieldModel): JsonSchema {
  return isFileList(field) ? { type: 'array', items: fileSchema } : fileSchema
}
