/** Reads and changes the fields of rows by name, for the tables of the service itself. */

import {
  FIRST_FIELD_INDEX,
  type FieldModel,
  IDENTITY,
  type ResourceModel,
  type Stored,
  UPDATED_AT,
  VERSION,
} from '../definition/model.ts'
import { always } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import type { UpdateWrite } from '../store/write.ts'

/** Returns a write of the row with changed fields and the next version. */
export function replaceRow(
  { name, fieldByName, fields }: ResourceModel,
  row: Row,
  at: string,
  changed: Readonly<Record<string, Stored>>,
): UpdateWrite {
  const [identity, version] = [row[IDENTITY] as string, row[VERSION] as number]
  const values = row.slice(0, FIRST_FIELD_INDEX + fields.length)
  values[VERSION] = version + 1
  values[UPDATED_AT] = at
  for (const [fieldName, value] of Object.entries(changed)) {
    values[(fieldByName.get(fieldName) as FieldModel).index] = value
  }
  const conditions = { conditionBefore: always, conditionAfter: always }
  return { kind: 'update', table: name, identity, version, values, previous: row, ...conditions }
}

export function readField(resource: ResourceModel, row: Row, name: string): Stored {
  return row[(resource.fieldByName.get(name) as FieldModel).index] ?? null
}
