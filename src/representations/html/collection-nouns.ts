/** The nouns for the items of a collection: `articles` has an `article`, and 43 articles. */

import type { Model, ResourceModel } from '../../definition/model.ts'
import { formatLabel } from './field-label.ts'

/** The noun for one item, as within a sentence: `article`. */
export function itemNoun(resource: ResourceModel): string {
  return resource.presentation.singular ?? singularOf(collectionNoun(resource))
}

/** The noun for several items, as within a sentence: `articles`. */
export function collectionNoun({ name, presentation }: ResourceModel): string {
  return presentation.plural ?? formatLabel(name).toLowerCase()
}

/** The name of the collection as a heading: `Articles`. */
export function collectionLabel({ name, presentation: { plural } }: ResourceModel): string {
  return plural === undefined ? formatLabel(name) : plural.charAt(0).toUpperCase() + plural.slice(1)
}

/** The same for the name of a collection; of other names, the name in words. */
export function labelOfCollection({ resources }: Model, name: string): string {
  const resource = resources.get(name)
  return resource ? collectionLabel(resource) : formatLabel(name)
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
