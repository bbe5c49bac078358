/** Conditions that a store query evaluates for each row, and how to read their results. */

import { type ResourceModel, rowWidth } from '../definition/model.ts'
import type { Condition } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { type ConditionResult, isRowDependent } from './visible-fields.ts'

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
