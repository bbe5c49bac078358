/** Evaluates conditions on a logged row: without the database where possible, else in one query for all callers. */

import { columnCount, type ResourceModel, rowWidth } from '../../definition/model.ts'
import type { Condition } from '../../store/condition.ts'
import { evaluateCondition } from '../../store/evaluate-condition.ts'
import type { Row } from '../../store/row.ts'
import type { Schema } from '../../store/schema/table-schema.ts'
import { knownTable } from '../../store/sql/sql-text.ts'
import type { Store } from '../../store/store.ts'

export interface RowEvaluator {
  /** The values in column order. */
  readonly values: Row
  /** Whether the condition is true for the row, now. */
  isTrue(condition: Condition): Promise<boolean>
  /** The row with the keys of the items that it refers to, for representations. */
  loadWithKeys(): Promise<Row>
}

export interface EvaluatorSource {
  readonly store: Store
  readonly schema: Schema
}

/** The conditions of one query, which bounds the length of its text. */
const maxConditions = 50

interface Waiting extends PromiseWithResolvers<boolean> {
  readonly condition: Condition
}

/** Conditions that are asked for in the same turn are evaluated by one query. */
export function createRowEvaluator(
  { store, schema }: EvaluatorSource,
  resource: ResourceModel,
  row: Row,
): RowEvaluator {
  const table = knownTable(schema, resource.name)
  const values = row.slice(0, columnCount(resource))
  const hasKeys = rowWidth(resource) > values.length
  const known = new Map<Condition, Promise<boolean>>()
  let waiting: Waiting[] = []

  async function evaluateWaiting(): Promise<void> {
    const asked = waiting
    waiting = []
    for (let from = 0; from < asked.length; from += maxConditions) {
      const part = asked.slice(from, from + maxConditions)
      try {
        const conditions = part.map(({ condition }) => condition)
        const found = await store.previewRow(resource.name, values, conditions)
        for (const [at, { resolve }] of part.entries()) resolve(found[rowWidth(resource) + at] === 1)
      } catch (error) {
        for (const { reject } of part) reject(error)
      }
    }
  }

  function evaluateLater(condition: Condition): Promise<boolean> {
    const one = { ...Promise.withResolvers<boolean>(), condition }
    if (waiting.push(one) === 1) queueMicrotask(() => void evaluateWaiting())
    return one.promise
  }

  async function evaluate(condition: Condition): Promise<boolean> {
    return evaluateCondition(table, values, condition) ?? evaluateLater(condition)
  }

  return {
    values,
    isTrue(condition) {
      const result = known.get(condition) ?? evaluate(condition)
      known.set(condition, result)
      return result
    },
    loadWithKeys: async () => (hasKeys ? store.previewRow(resource.name, values, []) : values),
  }
}
