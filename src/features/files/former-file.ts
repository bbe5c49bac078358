/** Finds a file that a field had in a version of its item which the caller may see, so that it can be restored. */

import { type Rights, rightsOf } from '../../access/rights.ts'
import { type FieldModel, IDENTITY, type JsonValue, type ResourceModel } from '../../definition/model.ts'
import { describeStoredFile, type StoredFile } from '../../definition/stored-file.ts'
import type { NamedFileLookup } from '../../requests/context/file-handler.ts'
import type { Clock } from '../../requests/context/service-context.ts'
import type { ChangeFeed } from '../../requests/events/change-feed.ts'
import { newestVersion } from '../../requests/events/item-history.ts'
import { loadVersions } from '../../requests/events/load-item-history.ts'
import { findTargetFile } from '../../requests/read/file-in-row.ts'
import { findById } from '../../requests/read/find-item.ts'
import type { Row } from '../../store/row.ts'
import { createRowChecks } from '../../views/row-checks.ts'

/** The file that `href` names: the field of an item, and of a list the id of the file. */
export interface FilePlace {
  readonly resource: ResourceModel
  readonly id: string
  readonly field: FieldModel
  readonly fileId: string | undefined
}

export interface FoundFile {
  readonly row: Row
  readonly file: StoredFile
}

export interface HistorySource {
  readonly changes: Pick<ChangeFeed, 'readHistory'>
  readonly clock: Clock
}

/** Versions of one read, and reads of one search. */
const pageLimit = 100
const maxPages = 10

/** The newest such file with the digest; undefined where the caller sees none. */
export async function findFormerFile(
  service: HistorySource,
  { store, caller }: Pick<NamedFileLookup, 'store' | 'caller'>,
  place: FilePlace,
  digest: JsonValue,
): Promise<FoundFile | undefined> {
  const { resource, id, field } = place
  if (!resource.history) return undefined
  const rights = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [rights.read, rights.history])
  const row = await findById(store, resource, id, checks.conditions)
  const isTrue = row && checks.readResults(row)
  if (!row || !isTrue?.(rights.read) || !isTrue(rights.history)) return undefined
  for await (const version of versionsOf(service, rights, row)) {
    const isVisible = version.visibleFields.fields.includes(field)
    const file = isVisible ? findTargetFile(place, version.row) : undefined
    if (file && describeStoredFile(file).digest === digest) return { row: version.row, file }
  }
  return undefined
}

async function* versionsOf(service: HistorySource, rights: Rights, row: Row) {
  let version: number | undefined = newestVersion
  for (let page = 0; page < maxPages && version !== undefined; page += 1) {
    const { versions, next } = await loadVersions(
      { service },
      { rights, row },
      {
        direction: 'older',
        version,
        limit: pageLimit,
      },
    )
    for (const { item } of versions) if (item.row[IDENTITY] === row[IDENTITY]) yield item
    version = next
  }
}
