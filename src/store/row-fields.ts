/** Reads and changes the fields of rows. */

import {
  columnCount,
  type FieldModel,
  IDENTITY,
  isRestricted,
  type ResourceModel,
  type Stored,
  UPDATED_AT,
  VERSION,
} from '../definition/model.ts'
import { isDeepStrictEqual } from '../tools/node-builtins.ts'
import { always, type Condition } from './condition.ts'
import { type Row, versionOf } from './row.ts'
import type { DeleteWrite, UpdateWrite } from './write.ts'

/**
 * The `updatedAt` of the next version of the row: later than the present one, though the clock may have been set back
 * or be behind that of another node. Versions of one row never have the same time.
 */
export function nextUpdate(row: Row, now: string): string {
  const previous = String(row[UPDATED_AT])
  return now > previous ? now : new Date(Date.parse(previous) + 1).toISOString()
}

/** The values of the row in its next version, with changed fields. */
export function nextVersion(
  resource: ResourceModel,
  row: Row,
  at: string,
  changed: ReadonlyMap<FieldModel, Stored>,
): readonly Stored[] {
  const values = row.slice(0, columnCount(resource))
  values[VERSION] = versionOf(row) + 1
  values[UPDATED_AT] = nextUpdate(row, at)
  for (const [field, value] of changed) values[field.index] = value
  return values
}

export interface UpdateOptions {
  /** The row must satisfy it before and after the change. */
  readonly right?: Condition
  /** The name of the transition. */
  readonly action?: string | undefined
}

/** The write that gives the row these values, which must be of its next version; it adds the last public change. */
export function updateRow(
  resource: ResourceModel,
  row: Row,
  values: readonly Stored[],
  { right = always, action }: UpdateOptions = {},
): UpdateWrite {
  return {
    kind: 'update',
    table: resource.name,
    identity: row[IDENTITY] as string,
    version: versionOf(row),
    values: withPublicChange(resource, row, values),
    previous: row,
    action,
    conditionBefore: right,
    conditionAfter: right,
  }
}

/** The values with the version and the time of the last change that every reader sees: this one, or that of the row. */
function withPublicChange(
  { fields, publicChange }: ResourceModel,
  row: Row,
  values: readonly Stored[],
): readonly Stored[] {
  if (!publicChange) return values
  const seen = fields.filter((field) => !isRestricted(field))
  const { version, updatedAt } = publicChange
  // The values of a new row end before them.
  const [number, time] = [row[version] ?? versionOf(row), row[updatedAt.index] ?? row[UPDATED_AT] ?? null]
  const isHidden = isUnchanged(row, seen, values)
  const change = isHidden ? [number, time] : [Number(number) + 1, values[UPDATED_AT] ?? null]
  return [...values.slice(0, version), ...change]
}

/** Whether the row already has these values (in column order) in the fields. */
export function isUnchanged(row: Row, fields: readonly FieldModel[], values: readonly Stored[]): boolean {
  return fields.every((field) => isSameValue(field, values[field.index], row[field.index]))
}

/** Whether two stored values are equal. The store may return numbers as text; the order of names in JSON has no meaning. */
export function isSameValue({ kind }: FieldModel, a: Stored | undefined, b: Stored | undefined): boolean {
  if (a === b) return true
  if (a === null || b === null) return false
  if (String(a) === String(b)) return true
  return kind.shape === 'json' && isDeepStrictEqual(JSON.parse(String(a)), JSON.parse(String(b)))
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
