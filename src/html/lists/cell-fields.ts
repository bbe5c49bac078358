/** The fields of a list that the script edits in their cells. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, Model, ResourceModel } from '../../definition/model.ts'
import { never } from '../../store/condition.ts'

/** The kinds with one value that fits into a cell. */
const cellKinds: ReadonlySet<string> = new Set(
  'text email url integer number decimal boolean choice date timestamp ref'.split(' '),
)

/**
 * The fields that the caller may change on some items; the form of an item decides about that item. A login is left out,
 * because changing it needs the password too.
 */
export function findCellFields(
  { accounts }: Pick<Model, 'accounts'>,
  resource: ResourceModel,
  caller: Principal,
): ReadonlySet<FieldModel> {
  const { update, writability } = rightsOf(resource, caller)
  if (!resource.itemMethods.has('PATCH') || update.kind === 'never') return new Set()
  const fields = resource.fields.filter(
    (field) =>
      cellKinds.has(field.kind) &&
      !field.immutable &&
      field !== resource.keyField &&
      field !== accounts?.login &&
      (writability.get(field) ?? never).kind !== 'never',
  )
  return new Set(fields)
}
