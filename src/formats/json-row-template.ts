/** How the store writes the JSON of a row itself, with the same octets as `writeItem`. */

import { isFileList } from '../definition/file-fields.ts'
import { type FieldModel, IDENTITY } from '../definition/model.ts'
import type { RowText, TextEncoding, TextMember } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { VisibleFields } from '../views/visible-fields.ts'

/** The members of the JSON text; undefined if a value needs decoding. */
export function jsonRowTemplate(visibleFields: VisibleFields): RowText | undefined {
  return rowTexts(visibleFields).text
}

const rowTexts = memoizeByObject((visibleFields: VisibleFields): { text: RowText | undefined } => {
  const { resource, fields, times, derived } = visibleFields
  // The store does not have the values of derived fields.
  if (derived.length > 0) return { text: undefined }
  const { keyField } = resource
  const id: TextMember = {
    before: '{"id":',
    rowIndex: keyField?.index ?? IDENTITY,
    encoding: idEncoding(keyField),
  }
  const members = [...fields, ...times].map((field) => ({
    before: `,${JSON.stringify(field.name)}:`,
    rowIndex: field.outputIndex,
    encoding: findEncoding(field),
  }))
  const known = members.filter((member): member is TextMember => member.encoding !== undefined)
  const text = known.length < members.length ? undefined : { members: [id, ...known], end: '}' }
  return { text }
})

function findEncoding(field: FieldModel): TextEncoding | undefined {
  if (isFileList(field)) return undefined
  switch (field.kind) {
    case 'integer':
    case 'list':
    case 'refs':
    case 'json':
      return 'plain'
    case 'boolean':
      return 'boolean'
    case 'date':
    case 'timestamp':
    case 'uuid':
      return 'quoted'
    case 'text':
    case 'email':
    case 'url':
    case 'choice':
    case 'state':
      return 'escaped'
    case 'ref':
      return idEncoding(field.ref?.resource.keyField)
    default:
      return undefined
  }
}

/** Ids are texts, whatever the column of the key holds. */
function idEncoding(keyField: FieldModel | undefined): TextEncoding {
  return keyField === undefined || keyField.kind === 'integer' ? 'quoted' : 'escaped'
}
