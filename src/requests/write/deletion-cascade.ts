/** The rows that a deletion deletes with its own row, and the references to them that it clears. */

import { type FieldModel, IDENTITY, type ResourceModel, type Stored } from '../../definition/model.ts'
import { refuse } from '../../refusal.ts'
import { type Condition, isOneOf, onReferenced } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { nextVersion, updateRow } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import { listRows } from '../../store/table-rows.ts'
import type { UpdateWrite } from '../../store/write.ts'
import { elementsIn, formatSet } from './reference-lookup.ts'

/** How many references of items with checks a deletion may clear, and how many items it may delete. */
const maxPlannedRows = 1000

/** A reference, or a set of references, of the resource `from` to the resource `to`. */
export interface ReferenceTo {
  readonly from: ResourceModel
  readonly field: FieldModel
  readonly to: ResourceModel
}

/** All references with `onDelete: 'clear'` that a deletion can reach. */
export function allClearedReferences(root: ResourceModel): readonly ReferenceTo[] {
  return [...cascadeOf(root)].flatMap((resource) => referencesTo(resource, 'clear'))
}

/** The resources whose items a deletion of an item of the root can delete. */
export function cascadeOf(root: ResourceModel): ReadonlySet<ResourceModel> {
  const reached = new Set([root])
  // A set visits members that are added while it is iterated over.
  for (const resource of reached) {
    for (const { from } of referencesTo(resource, 'cascade')) reached.add(from)
  }
  return reached
}

export function referencesTo(to: ResourceModel, onDelete: 'clear' | 'cascade'): readonly ReferenceTo[] {
  return to.referencedBy
    .filter(({ field }) => (field.ref ?? field.refs)?.onDelete === onDelete)
    .map(({ resource, field }) => ({ from: resource, field, to }))
}

/** The deleted rows by resource and identity. */
export type CascadedRows = ReadonlyMap<ResourceModel, ReadonlyMap<string, Row>>

/** The row and the rows that its deletion cascades to. The store refuses a deletion of more than the limit. */
export async function findDeletedRows(store: Store, root: ResourceModel, row: Row): Promise<CascadedRows> {
  const deleted = new Map([[root, new Map([[row[IDENTITY] as string, row]])]])
  const frontier = [{ resource: root, identities: [row[IDENTITY] as string] }]
  for (const { resource, identities } of frontier) {
    for (const reference of referencesTo(resource, 'cascade')) {
      const seen = deleted.get(reference.from) ?? new Map<string, Row>()
      deleted.set(reference.from, seen)
      const rows = await listReferring(store, reference, identities)
      const fresh = rows.filter((one) => !seen.has(one[IDENTITY] as string))
      for (const one of fresh) seen.set(one[IDENTITY] as string, one)
      const found = fresh.map((one) => one[IDENTITY] as string)
      if (found.length > 0) frontier.push({ resource: reference.from, identities: found })
    }
  }
  return deleted
}

/** At most one row more than the limit. */
async function listReferring(
  store: Store,
  { from, field }: ReferenceTo,
  identities: readonly string[],
): Promise<readonly Row[]> {
  const rows = await listRows(store, from, {
    condition: refersTo(field, identities),
    limit: maxPlannedRows + 1,
  })
  if (rows.length <= maxPlannedRows) return rows
  throw refuse('referenced', { detail: `More than ${maxPlannedRows} items of '${from.name}' refer to it.` })
}

/** Whether a row refers to one of the identities by the field. */
export function refersTo({ name, refs }: FieldModel, values: readonly string[]): Condition {
  return refs ? onReferenced(name, isOneOf(['_identity'], values)) : isOneOf([name], values)
}

/** A row that stays, and its references to deleted rows. */
export interface ClearedRow {
  readonly resource: ResourceModel
  readonly row: Row
  readonly fields: FieldModel[]
}

export async function findClearedRows(
  store: Store,
  references: readonly ReferenceTo[],
  deleted: CascadedRows,
): Promise<readonly ClearedRow[]> {
  const cleared = new Map<string, ClearedRow>()
  for (const reference of references) {
    const identities = deleted.get(reference.to)
    if (!identities || identities.size === 0) continue
    for (const row of await listReferring(store, reference, [...identities.keys()])) {
      const identity = row[IDENTITY] as string
      if (deleted.get(reference.from)?.has(identity)) continue
      const known = cleared.get(identity)
      if (known) known.fields.push(reference.field)
      else cleared.set(identity, { resource: reference.from, row, fields: [reference.field] })
    }
  }
  return [...cleared.values()]
}

export function clearingWrite(
  { resource, row, fields }: ClearedRow,
  deleted: CascadedRows,
  at: string,
): UpdateWrite {
  const changed = new Map(fields.map((field) => [field, clearedValue(field, row, deleted)]))
  return updateRow(resource, row, nextVersion(resource, row, at, changed))
}

/** A set of references keeps the members that stay. */
function clearedValue(field: FieldModel, row: Row, deleted: CascadedRows): Stored {
  if (!field.refs) return null
  const gone = deleted.get(field.refs.resource)
  return formatSet(elementsIn(field, row).filter((identity) => !gone?.has(identity)))
}
