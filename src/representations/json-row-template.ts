/** How the store writes the JSON of a row itself, with the same octets as `writeItem`. */

import { type FieldModel, IDENTITY } from '../definition/model.ts'
import type { RowText, TextEncoding, TextMember } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { VisibleFields } from '../view/visible-fields.ts'

/** The members of the JSON text; undefined if a value needs decoding. */
export function jsonRowTemplate(shape: VisibleFields): RowText | undefined {
  return rowTexts(shape).text
}

const rowTexts = memoizeByObject((shape: VisibleFields): { text: RowText | undefined } => {
  const { resource, fields, times, derived } = shape
  // The store does not have the values of derived fields.
  if (derived.length > 0) return { text: undefined }
  const { key } = resource
  const id: TextMember = { before: '{"id":', at: key?.index ?? IDENTITY, form: idForm(key) }
  const members = [...fields, ...times].map((field) => ({
    before: `,${JSON.stringify(field.name)}:`,
    at: field.shownIndex,
    form: findForm(field),
  }))
  const known = members.filter((member): member is TextMember => member.form !== undefined)
  const text = known.length < members.length ? undefined : { members: [id, ...known], end: '}' }
  return { text }
})

function findForm(field: FieldModel): TextEncoding | undefined {
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
      return idForm(field.ref?.resource.key)
    default:
      return undefined
  }
}

/** Ids are texts, whatever the column of the key holds. */
function idForm(key: FieldModel | undefined): TextEncoding {
  return key === undefined || key.kind === 'integer' ? 'quoted' : 'escaped'
}
