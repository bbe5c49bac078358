/** Finds the items that references in content name. A hidden item has the same fault as an absent one. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { findFileModel, isFileList } from '../../definition/file-fields.ts'
import { parseId } from '../../definition/item-id.ts'
import { type FieldModel, IDENTITY, type JsonValue, type ResourceModel } from '../../definition/model.ts'
import { formatStoredFiles } from '../../definition/stored-file.ts'
import type { ContentFault } from '../../refusal.ts'
import { isOneOf } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { idOf } from '../../views/uri.ts'
import type { FileHandler } from '../context/file-handler.ts'
import type { Unit } from '../context/service-context.ts'
import { findById } from '../read/find-item.ts'
import type { RecordDraft } from './draft-builder.ts'

export interface FoundReferences {
  /** The stored values: an identity, a set of identities, a file, or a list of files. */
  readonly found: ReadonlyMap<FieldModel, string>
  readonly faults: readonly ContentFault[]
}

/** The store, and the files that members name. */
export interface FileColumns extends Pick<Unit, 'store'> {
  readonly files: Pick<FileHandler, 'encodeNamedFiles'> | undefined
}

/** The rows and files that the draft names. The row has the present elements of sets. */
export async function findReferences(
  unit: FileColumns,
  caller: Principal,
  draft: RecordDraft,
  row: Row | undefined,
): Promise<FoundReferences> {
  const found = new Map<FieldModel, string>()
  const faults: ContentFault[] = []
  for (const [field, value] of draft.values) {
    if (field.ref && typeof value === 'string') {
      const identity = await findReference(unit, caller, field.ref.resource, value)
      if (identity !== undefined) found.set(field, identity)
      else faults.push(missingReference(field, field.ref.resource.name))
    } else if (field.refs && isIdList(value) && value.length <= field.refs.max) {
      const kept = draft.seenSets.has(field) ? elementsIn(field, row) : []
      const set = await findSet({ unit, caller, field, resource: field.refs.resource, kept }, value)
      found.set(field, formatSet(set.identities))
      faults.push(...set.faults)
    } else if (isFileList(field) && Array.isArray(value) && value.length === 0) {
      found.set(field, formatStoredFiles([]))
    } else if (findFileModel(field) && unit.files && value !== undefined) {
      // A value of another form is a fault of the draft.
      if (draft.faults.some(({ pointer }) => isWithin(pointer, field))) continue
      const named = await unit.files.encodeNamedFiles({ store: unit.store, caller, field, value, row })
      if ('stored' in named) found.set(field, named.stored)
      else faults.push(...named.faults)
    }
  }
  const isNew = ({ pointer }: ContentFault) => !draft.faults.some((fault) => fault.pointer === pointer)
  return { found, faults: faults.filter(isNew) }
}

function isWithin(pointer: string, { name }: FieldModel): boolean {
  return pointer === `/${name}` || pointer.startsWith(`/${name}/`)
}

/** Other values, and sets with too many ids, are faults of the draft. */
function isIdList(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** The identities of a set of references in the row. */
export function elementsIn(field: FieldModel, row: Row | undefined): readonly string[] {
  const stored = row?.[field.index]
  return typeof stored === 'string' ? (JSON.parse(stored) as readonly string[]) : []
}

/** The stored form of a set: each identity once, in order. */
export function formatSet(identities: readonly string[]): string {
  return JSON.stringify([...new Set(identities)].sort())
}

async function findReference(
  { store }: Pick<Unit, 'store'>,
  caller: Principal,
  resource: ResourceModel,
  id: string,
): Promise<string | undefined> {
  const { read } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const row = await findById(store, resource, id, checks.conditions)
  return row && checks.readResults(row)(read) ? (row[IDENTITY] as string) : undefined
}

interface SetLookup {
  readonly unit: Pick<Unit, 'store'>
  readonly caller: Principal
  readonly field: FieldModel
  readonly resource: ResourceModel
  /** Elements that the caller sees in the present set: they may stay, even if they are hidden. */
  readonly kept: readonly string[]
}

/** The identities of a set, found by one query, and a fault for each id that names no item. */
async function findSet(
  lookup: SetLookup,
  ids: readonly string[],
): Promise<{ readonly identities: readonly string[]; readonly faults: readonly ContentFault[] }> {
  const { field, resource } = lookup
  const byId = await findIdentities(lookup, ids)
  const faults = ids.flatMap((id, at) =>
    byId.has(id) ? [] : [{ ...missingReference(field, resource.name), pointer: `/${field.name}/${at}` }],
  )
  return { identities: ids.flatMap((id) => byId.get(id) ?? []), faults }
}

/** The identities by id, of items that the caller may read or that are kept. */
export async function findIdentities(
  { unit: { store }, caller, resource, kept }: SetLookup,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { read } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const values = [...new Set(ids)].flatMap((id) => parseId(resource, id) ?? [])
  if (values.length === 0) return new Map()
  const rows = await store.list({
    table: resource.name,
    condition: isOneOf([resource.keyField?.name ?? '_identity'], values),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: values.length,
    evaluated: checks.conditions,
  })
  const usable = rows.filter((row) => checks.readResults(row)(read) || kept.includes(row[IDENTITY] as string))
  return new Map(usable.map((row) => [idOf(resource, row), row[IDENTITY] as string]))
}

/** The fault of a reference to an absent or hidden item. */
export function missingReference(field: FieldModel, collection: string): ContentFault {
  return {
    pointer: `/${field.name}`,
    rule: 'reference',
    detail: `There is no such item in '${collection}'.`,
  }
}
