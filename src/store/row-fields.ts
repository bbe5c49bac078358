/** Reads and changes the fields of rows. */

import {
  FIRST_FIELD_INDEX,
  type FieldModel,
  IDENTITY,
  type ResourceModel,
  type Stored,
  UPDATED_AT,
  VERSION,
} from '../definition/model.ts'
import { always, type Condition } from './condition.ts'
import { type Row, versionOf } from './row.ts'
import type { DeleteWrite, UpdateWrite } from './write.ts'

/** The values of the row in its next version, with changed fields. */
export function nextVersion(
  { fields }: ResourceModel,
  row: Row,
  at: string,
  changed: ReadonlyMap<FieldModel, Stored>,
): readonly Stored[] {
  const values = row.slice(0, FIRST_FIELD_INDEX + fields.length)
  values[VERSION] = versionOf(row) + 1
  values[UPDATED_AT] = at
  for (const [field, value] of changed) values[field.index] = value
  return values
}

export interface UpdateOptions {
  /** The row must satisfy it before and after the change. */
  readonly right?: Condition
  /** The name of the transition. */
  readonly action?: string | undefined
}

/** The write that gives the row these values, which must be of its next version. */
export function updateRow(
  { name }: ResourceModel,
  row: Row,
  values: readonly Stored[],
  { right = always, action }: UpdateOptions = {},
): UpdateWrite {
  return {
    kind: 'update',
    table: name,
    identity: row[IDENTITY] as string,
    version: versionOf(row),
    values,
    previous: row,
    action,
    conditionBefore: right,
    conditionAfter: right,
  }
}

/** The write that deletes the row, where it still has this version. */
export function deleteRow({ name }: ResourceModel, row: Row, at: string): DeleteWrite {
  const [identity, version] = [row[IDENTITY] as string, versionOf(row)]
  return { kind: 'delete', table: name, identity, version, conditionBefore: always, at }
}

/** The write that changes fields, by name. */
export function updateFields(
  resource: ResourceModel,
  row: Row,
  at: string,
  changed: Readonly<Record<string, Stored>>,
): UpdateWrite {
  const fields = Object.entries(changed).map(([name, value]) => [fieldOf(resource, name), value] as const)
  return updateRow(resource, row, nextVersion(resource, row, at, new Map(fields)))
}

export function readField(resource: ResourceModel, row: Row, name: string): Stored {
  return row[fieldOf(resource, name).index] ?? null
}

function fieldOf({ fieldByName }: ResourceModel, name: string): FieldModel {
  return fieldByName.get(name) as FieldModel
}
