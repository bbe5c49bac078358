/** Erasing uploads to an item that are not complete. */

import type { ResourceModel } from '../../definition/model.ts'
import { always, type Condition, equals } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { deleteRow, readField } from '../../store/row-fields.ts'
import type { ErasedItem, EraseRows } from '../../work/erase-work.ts'
import { uploadPartsName, uploadsName } from './uploads-resource.ts'

/** The uploads to files below the URI of the item, with their parts. Content that no row names is removed later. */
export const eraseUploads: EraseRows = async (item) => {
  const { model, uri, at } = item
  const [uploads, parts] = [model.ownTables.get(uploadsName), model.ownTables.get(uploadPartsName)]
  if (!uploads || !parts) return []
  const all = await listRows(item, uploads, always)
  const found = all.filter((row) => String(readField(uploads, row, 'target')).startsWith(`${uri}/`))
  const partsOf = ([identity]: Row) => listRows(item, parts, equals(['upload'], String(identity)))
  const theirs = (await Promise.all(found.map(partsOf))).flat()
  return [
    ...found.map((row) => deleteRow(uploads, row, at)),
    ...theirs.map((row) => deleteRow(parts, row, at)),
  ]
}

/** More than there are: uploads expire after a day. */
const maxRows = 1_000_000

async function listRows(
  { store }: ErasedItem,
  { name: table }: ResourceModel,
  condition: Condition,
): Promise<readonly Row[]> {
  const order = [{ column: '_identity', descending: false }]
  return store.list({ table, condition, order, after: undefined, limit: maxRows, evaluated: [] })
}
