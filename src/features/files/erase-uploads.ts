/** Erasing uploads to an item that are not complete. */

import { equals } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { deleteRow, readField } from '../../store/row-fields.ts'
import { allRows } from '../../store/table-rows.ts'
import type { EraseRows } from '../../work/erase-work.ts'
import { uploadPartsName, uploadsName } from './uploads-resource.ts'

/** The uploads to files below the URI of the item, with their parts. Content that no row names is removed later. */
export const eraseUploads: EraseRows = async ({ model, store, uri, at }) => {
  const [uploads, parts] = [model.ownTables.get(uploadsName), model.ownTables.get(uploadPartsName)]
  if (!uploads || !parts) return []
  const all = await Array.fromAsync(allRows(store, uploads))
  const found = all.filter((row) => String(readField(uploads, row, 'target')).startsWith(`${uri}/`))
  const partsOf = ([identity]: Row) =>
    Array.fromAsync(allRows(store, parts, equals(['upload'], String(identity))))
  const theirs = (await Promise.all(found.map(partsOf))).flat()
  return [
    ...found.map((row) => deleteRow(uploads, row, at)),
    ...theirs.map((row) => deleteRow(parts, row, at)),
  ]
}
