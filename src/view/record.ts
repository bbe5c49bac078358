/** A row together with what was asked of it. */

import { type ResourceModel, rowWidth, VERSION } from '../declare/model.ts'
import type { Condition } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import { type Holds, isDoubtful, type Lens } from './shape.ts'
import type { ItemView } from './view.ts'

/** Conditions to send along with a question to the store, and how to read the answers. */
export interface Asks {
  readonly conditions: readonly Condition[]
  /** The answers in a row of the resource; what is trivially true or false needs no asking. */
  answersIn(row: Row): Holds
}

export function asksOf(resource: ResourceModel, wanted: readonly Condition[]): Asks {
  if (!wanted.some(isDoubtful)) return nothingToAsk
  const conditions = [...new Set(wanted.filter(isDoubtful))]
  const places = new Map(conditions.map((condition, at) => [condition, rowWidth(resource) + at]))
  return {
    conditions,
    answersIn: (row) => (condition) => {
      if (!isDoubtful(condition)) return condition.kind === 'always'
      const place = places.get(condition)
      if (place === undefined) throw new Error('A condition was not asked of the store')
      return row[place] === 1
    },
  }
}

const nothingToAsk: Asks = {
  conditions: [],
  answersIn: () => (condition) => {
    if (isDoubtful(condition)) throw new Error('A condition was not asked of the store')
    return condition.kind === 'always'
  },
}

export function itemView(row: Row, lens: Lens, holds: Holds): ItemView {
  const shape = lens.shapeOf(holds)
  if (!lens.linksOf) return { kind: 'item', row, shape }
  const hypermedia = { links: lens.linksOf(row, shape, holds), actions: [] }
  return { kind: 'item', row, shape, hypermedia }
}

export function versionOf(row: Row): number {
  return row[VERSION] as number
}
