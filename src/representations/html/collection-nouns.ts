/** The nouns for the items of a collection: `articles` has an `article`, and 43 articles. */

import type { ResourceModel } from '../../definition/model.ts'
import { formatLabel } from './field-label.ts'

/** The noun for one item, in lower case: `article`. */
export function itemNoun(resource: ResourceModel): string {
  return singularOf(collectionNoun(resource))
}

/** The noun for several items, in lower case: `articles`. */
export function collectionNoun({ name }: ResourceModel): string {
  return formatLabel(name).toLowerCase()
}

/** `1 article`, `43 articles`. */
export function formatCount(resource: ResourceModel, count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? itemNoun(resource) : collectionNoun(resource)}`
}

/** The singular of an English plural. */
function singularOf(plural: string): string {
  const irregular = irregularPlurals.get(plural)
  if (irregular !== undefined) return irregular
  if (/[^aeiou]ies$/.test(plural)) return `${plural.slice(0, -3)}y`
  if (/(?:ss|sh|ch|x|zz)es$/.test(plural)) return plural.slice(0, -2)
  return /[^su]s$/.test(plural) ? plural.slice(0, -1) : plural
}

const irregularPlurals: ReadonlyMap<string, string> = new Map([
  ['people', 'person'],
  ['children', 'child'],
  ['news', 'news'],
  ['series', 'series'],
])
