/** The groups and aggregates that the fields of a resource offer, by the names that clients use. */

import { aggregatesOf } from '../definition/derived-field.ts'
import { type TimePart, timePartLength } from '../store/group-query.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Attribute } from './queryable-fields.ts'

/** A field to group by, or a part of a time: `project`, `createdAt.month`. */
export interface GroupTerm {
  readonly name: string
  readonly attribute: Attribute
  readonly part: TimePart | undefined
}

/** A value computed from all items of a group: `count`, `hours.sum`. */
export type AggregateTerm =
  | { readonly name: string; readonly operation: 'count'; readonly attribute: undefined }
  | { readonly name: string; readonly operation: FieldOperation; readonly attribute: Attribute }

export type FieldOperation = 'sum' | 'avg' | 'min' | 'max'

type Attributes = ReadonlyMap<string, Attribute>

/** The groups by name, in the order of representations. */
export const groupTermsOf = memoizeByObject((attributes: Attributes): ReadonlyMap<string, GroupTerm> => {
  const terms = [...attributes.values()].filter(isGroupable).flatMap((attribute): readonly GroupTerm[] => {
    const { name } = attribute
    const parts = isTime(attribute) ? timeParts : []
    return [
      { name, attribute, part: undefined },
      ...parts.map((part) => ({ name: `${name}.${part}`, attribute, part })),
    ]
  })
  return byName(terms)
})

/** The aggregates by name: `count`, then those of each field. */
export const aggregateTermsOf = memoizeByObject(
  (attributes: Attributes): ReadonlyMap<string, AggregateTerm> => {
    const terms = [...attributes.values()].flatMap((attribute) =>
      operationsOn(attribute).map((operation) => ({
        name: `${attribute.name}.${operation}`,
        operation,
        attribute,
      })),
    )
    return byName<AggregateTerm>([{ name: 'count', operation: 'count', attribute: undefined }, ...terms])
  },
)

const timeParts = Object.keys(timePartLength) as readonly TimePart[]

function isGroupable({ filterable, derivedField, kind }: Attribute): boolean {
  return filterable && !derivedField && (kind === 'identity' || kind.order !== 'none')
}

function operationsOn({ filterable, isId, derivedField, kind }: Attribute): readonly FieldOperation[] {
  if (!filterable || isId || derivedField || kind === 'identity') return []
  return aggregatesOf(kind)
}

function isTime({ kind, isId }: Attribute): boolean {
  return !isId && kind !== 'identity' && (kind.order === 'day' || kind.order === 'instant')
}

function byName<Term extends { readonly name: string }>(terms: readonly Term[]): ReadonlyMap<string, Term> {
  return new Map(terms.map((term) => [term.name, term]))
}
