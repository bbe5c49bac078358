/** Conditions that a store query evaluates for each row, and the views built from their results. */

import { type JsonValue, type ResourceModel, rowWidth, VERSION } from '../definition/model.ts'
import type { Condition } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { idOf } from './uri.ts'
import type { ItemView } from './view.ts'
import {
  type ConditionResult,
  type FieldSelector,
  isRowDependent,
  type VisibleFields,
} from './visible-fields.ts'

/** Conditions to send with a store query, and how to read their results. */
export interface RowChecks {
  readonly conditions: readonly Condition[]
  /** The results in a row; conditions that are always true or never true are not evaluated. */
  readResults(row: Row): ConditionResult
}

/** The checks for these conditions. Reading the result of any other condition throws. */
export function createRowChecks(resource: ResourceModel, wanted: readonly Condition[]): RowChecks {
  if (!wanted.some(isRowDependent)) return noConditions
  const conditions = [...new Set(wanted.filter(isRowDependent))]
  const resultIndexes = new Map(conditions.map((condition, at) => [condition, rowWidth(resource) + at]))
  return {
    conditions,
    readResults: (row) => (condition) => {
      if (!isRowDependent(condition)) return condition.kind === 'always'
      const resultIndex = resultIndexes.get(condition)
      if (resultIndex === undefined) throw new Error('The condition was not evaluated by the store')
      return row[resultIndex] === 1
    },
  }
}

const noConditions: RowChecks = {
  conditions: [],
  readResults: () => (condition) => {
    if (isRowDependent(condition)) throw new Error('The condition was not evaluated by the store')
    return condition.kind === 'always'
  },
}

/** The view of a row with the fields that its check results allow. */
export function createItemView(row: Row, selector: FieldSelector, isTrue: ConditionResult): ItemView {
  const visibleFields = selector.selectFields(isTrue)
  const view: ItemView = { kind: 'item', row: withDerivedSlots(row, visibleFields), visibleFields }
  if (!selector.buildLinks) return view
  return { ...view, hypermedia: { links: selector.buildLinks(row, visibleFields, isTrue), actions: [] } }
}

/** The row with empty places for the derived fields, which follow the stored values. */
export function withDerivedSlots(row: Row, { resource, derived }: VisibleFields): Row {
  if (derived.length === 0) return row
  const width = rowWidth(resource)
  return [...row.slice(0, width), ...resource.derived.map(() => null), ...row.slice(width)]
}

export function versionOf(row: Row): number {
  return row[VERSION] as number
}

/** The members of an item as JSON values. */
export function itemMembers({ row, visibleFields }: ItemView): Readonly<Record<string, JsonValue>> {
  const shown = [...visibleFields.fields, ...visibleFields.times].flatMap((field): [string, JsonValue][] => {
    const stored = row[field.outputIndex]
    return stored === null || stored === undefined ? [] : [[field.name, field.decode(stored)]]
  })
  return Object.fromEntries([['id', idOf(visibleFields.resource, row)], ...shown])
}
