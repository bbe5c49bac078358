/** Filters in words: `stock[gte]=2` is `Stock from 2`, `author=…` is `Author is Ada`. */

import type { ResourceModel } from '../../definition/model.ts'
import type { QueryPair } from '../../http/query-string.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { pathLabel, valueInSentence } from '../markup/field-label.ts'
import { writtenValue } from '../markup/written-value.ts'
import { phrase, translated } from '../page-language.ts'
import { findOptions } from './list-facets.ts'

/** Describes a filter in words, with the titles of the items that it names. */
export function describeFilter(layout: PageLayout, resource: ResourceModel, filter: QueryPair): string {
  const [name, value] = filter
  if (name === 'q') return phrase`Search: ${value}`
  const { path, operator } = splitParameter(name)
  const label = pathLabel(resource, path)
  if (operator === 'missing') {
    return value === 'false' ? phrase`${label} is present` : phrase`${label} is missing`
  }
  const said = operator === undefined ? 'is' : (captions[operator] ?? operator)
  return `${label} ${translated(said)} ${describeValue(layout, resource, filter)}`
}

/** The operators in words. */
export const captions: Readonly<Record<string, string>> = {
  contains: 'contains',
  has: 'has',
  gte: 'from',
  lte: 'up to',
  lt: 'before',
  ne: 'is not',
  gt: 'above',
  in: 'is one of',
  starts: 'starts with',
}

function describeValue({ choices }: PageLayout, resource: ResourceModel, filter: QueryPair): string {
  const named = filteredIds(resource, filter)
  if (!named) {
    const field = resource.fieldByName.get(splitParameter(filter[0]).path)
    if (!field) return filter[1]
    return findOptions(field) ? valueInSentence(filter[1]) : writtenValue(field, filter[1])
  }
  const items = choices.get(named.target.name)?.items ?? []
  return named.ids.map((id) => items.find((one) => one.id === id)?.title ?? id).join(', ')
}

/** The items that a filter on a reference names; undefined for other filters. */
export function filteredIds(
  resource: ResourceModel,
  [name, value]: QueryPair,
): { readonly target: ResourceModel; readonly ids: readonly string[] } | undefined {
  const { path, operator = 'eq' } = splitParameter(name)
  let target: ResourceModel | undefined = resource
  for (const step of path.split('.')) target = target?.relations.get(step)?.target
  if (!target || !identifying.has(operator)) return undefined
  return { target, ids: operator === 'in' ? value.split(',') : [value] }
}

/** The operators whose values are ids. */
const identifying: ReadonlySet<string> = new Set(['eq', 'ne', 'in', 'has'])

function splitParameter(name: string): { readonly path: string; readonly operator: string | undefined } {
  const [, path = name, operator] = /^([^[]*)\[(\w+)\]$/.exec(name) ?? []
  return { path, operator }
}
