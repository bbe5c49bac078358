import { always, equals } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { deleteRow, readField } from '../../store/row-fields.ts'
import { listRows } from '../../store/table-rows.ts'
import type { EraseRows } from '../../work/erase-work.ts'
import { uploadPartsName, uploadsName } from './uploads-resource.ts'

/** The uploads to files below the URI of the item, with their parts. Content that no row names is removed later. */
export const eraseUploads: EraseRows = async ({ model, store, uri, at }) => {
  const [uploads, parts] = [model.ownTables.get(uploadsName), model.ownTables.get(uploadPartsName)]
  if (!uploads || !parts) return []
  const all = await listRows(store, uploads, { condition: always, limit })
  const found = all.filter((row) => String(readField(uploads, row, 'target')).startsWith(`${uri}/`))
  const partsOf = async ([identity]: Row) =>
    listRows(store, parts, { condition: equals(['upload'], String(identity)), limit })
  const theirs = (await Promise.all(found.map(partsOf))).flat()
  return [
    ...found.map((row) => deleteRow(uploads, row, at)),
    ...theirs.map((row) => deleteRow(parts, row, at)),
  ]
}

/** More than there are: uploads expire after a day. */
const limit = 1_000_000
