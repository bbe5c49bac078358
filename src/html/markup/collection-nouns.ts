/** The nouns for the items of a collection: `articles` has an `article`, and 43 articles. */

import { englishCollectionNoun, englishItemNoun } from '../../definition/english-labels.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'
import { formatNumber, pageLanguage, translated } from '../page-language.ts'
import { formatLabel } from './field-label.ts'

/** The noun for one item, as within a sentence: `article`. */
export function itemNoun(resource: ResourceModel): string {
  return translated(englishItemNoun(resource))
}

/** The noun for several items, as within a sentence: `articles`. */
export function collectionNoun(resource: ResourceModel): string {
  return translated(englishCollectionNoun(resource))
}

/** The name of the collection as a heading: `Articles`. */
export function collectionLabel(resource: ResourceModel): string {
  const { name, presentation } = resource
  const plural = pageLanguage().find(englishCollectionNoun(resource)) ?? presentation.plural
  return plural === undefined ? formatLabel(name) : plural.charAt(0).toUpperCase() + plural.slice(1)
}

/** The same for the name of a collection; of other names, the name in words. */
export function labelOfCollection({ resources }: Model, name: string): string {
  const resource = resources.get(name)
  return resource ? collectionLabel(resource) : formatLabel(name)
}

/** `1 article`, `43 articles`. */
export function formatCount(resource: ResourceModel, count: number): string {
  return `${formatNumber(count)} ${countedNoun(resource, count)}`
}

/** The noun in the plural form for the number. */
export function countedNoun(resource: ResourceModel, count: number): string {
  const plural = pageLanguage().find(englishCollectionNoun(resource), count)
  if (plural === undefined || count === 1) return count === 1 ? itemNoun(resource) : collectionNoun(resource)
  return plural
}
