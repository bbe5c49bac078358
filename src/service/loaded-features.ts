/** The features that a service uses, loaded and joined. */

import type { Model } from '../definition/model.ts'
import type { DocumentPages } from '../html/html.ts'
import type { DocumentTable } from '../requests/context/target.ts'
import { type FeatureCode, joinFeatureCode } from '../requests/feature-code.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { documentsOf } from './document-table.ts'
import type { FeatureParts } from './feature.ts'
import { features } from './features.ts'

export interface LoadedFeatures {
  readonly parts: readonly FeatureParts[]
  readonly code: FeatureCode
  readonly documents: DocumentTable
  readonly pages: DocumentPages
}

/** Loads the code of the features that the definition uses. */
export const loadFeatures = memoizeByObject(async (model: Model): Promise<LoadedFeatures> => {
  const parts = await loadParts(({ isUsed }) => isUsed?.(model) ?? true)
  const requests = parts.flatMap((part) => part.requests ?? [])
  return {
    parts,
    code: joinFeatureCode(requests),
    documents: documentsOf(model, requests),
    pages: Object.assign({}, ...parts.map(({ pages }) => pages)),
  }
})

/** All documents of a service by route. */
export async function loadDocuments(model: Model): Promise<DocumentTable> {
  return (await loadFeatures(model)).documents
}

/** Loads the code of the chosen features, of all by default. */
export async function loadParts(
  isChosen: (feature: (typeof features)[number]) => boolean = () => true,
): Promise<readonly FeatureParts[]> {
  const loaded = await Promise.all(features.filter(isChosen).map((feature) => feature.load?.()))
  return loaded.filter((parts) => parts !== undefined)
}
