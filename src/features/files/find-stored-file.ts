/** Finds a file by its permanent URI: one that its item has, or had in a version that the caller may see. */

import { type Rights, rightsOf } from '../../access/rights.ts'
import { filesIn, findFileModel } from '../../definition/file-fields.ts'
import { type FieldModel, IDENTITY } from '../../definition/model.ts'
import type { StoredFile } from '../../definition/stored-file.ts'
import type { StoredFilePlace } from '../../requests/context/file-handler.ts'
import type { Clock } from '../../requests/context/service-context.ts'
import type { ChangeFeed } from '../../requests/events/change-feed.ts'
import { newestVersion } from '../../requests/events/item-history.ts'
import { loadVersions } from '../../requests/events/load-item-history.ts'
import { findById } from '../../requests/read/find-item.ts'
import { never } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { digestOfKey, fileKey } from '../../views/file-validators.ts'
import { createRowChecks } from '../../views/row-checks.ts'

export interface FoundFile {
  /** The row, or a former one, that has the file in the field. */
  readonly row: Row
  readonly field: FieldModel
  readonly file: StoredFile
  /** Of a file in a list. */
  readonly fileId: string | undefined
  /** Whether the item has it there now. */
  readonly isPresent: boolean
}

export interface HistorySource {
  readonly changes: Pick<ChangeFeed, 'readHistory'>
  readonly clock: Clock
}

/** Versions of one read, and reads of one search. */
const pageLimit = 100
const maxPages = 10

/** The present file, else that of the newest version; undefined where the caller sees none. */
export async function findStoredFile(
  service: HistorySource,
  { store, caller, resource, id, key }: StoredFilePlace,
): Promise<FoundFile | undefined> {
  const digest = digestOfKey(key)
  if (digest === undefined) return undefined
  const rights = rightsOf(resource, caller)
  const fields = resource.fields.filter(findFileModel)
  const visible = (field: FieldModel) => rights.visibility.get(field) ?? never
  const checks = createRowChecks(resource, [rights.read, rights.history, ...fields.map(visible)])
  const row = await findById(store, resource, id, checks.conditions)
  const isTrue = row && checks.readResults(row)
  if (!row || !isTrue?.(rights.read)) return undefined
  const seen = fields.filter((field) => isTrue(visible(field)))
  const present = findInRow({ row, fields: seen, isPresent: true }, key)
  if (present || !resource.history || !isTrue(rights.history)) return present
  for await (const { item } of versionsWith(service, { rights, row }, digest)) {
    if (item.row[IDENTITY] !== row[IDENTITY]) continue
    const { fields: shown } = item.visibleFields
    const former = findInRow({ row: item.row, fields: shown, isPresent: false }, key)
    if (former) return former
  }
  return undefined
}

interface SeenRow {
  readonly row: Row
  /** The fields that the caller sees. */
  readonly fields: readonly FieldModel[]
  readonly isPresent: boolean
}

function findInRow({ row, fields, isPresent }: SeenRow, key: string): FoundFile | undefined {
  for (const field of fields) {
    const file = filesIn(field, row[field.index]).find((one) => fileKey(one) === key)
    if (file) return { row, field, file, fileId: 'id' in file ? file.id : undefined, isPresent }
  }
  return undefined
}

/** The visible versions whose row has the digest, newest first. */
async function* versionsWith(
  service: HistorySource,
  item: { readonly rights: Rights; readonly row: Row },
  containing: string,
) {
  let version: number | undefined = newestVersion
  for (let page = 0; page < maxPages && version !== undefined; page += 1) {
    const { versions, next } = await loadVersions({ service }, item, {
      direction: 'older',
      version,
      containing,
      limit: pageLimit,
    })
    yield* versions
    version = next
  }
}
