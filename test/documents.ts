/** The documents of a definition, for tests that describe it and start no service. */

import type { Model } from '../src/definition/model.ts'
import type { DocumentTable } from '../src/requests/context/target.ts'
import { documentsOf } from '../src/service/document-table.ts'
import { features } from '../src/service/features.ts'

const loaded = await Promise.all(
  features.map(async (feature) => ({ feature, parts: await feature.load?.() })),
)

/** Those of the service and of the features that the definition uses. */
export function documentsFor(model: Model): DocumentTable {
  const used = loaded.filter(({ feature }) => feature.isUsed?.(model) ?? true)
  return documentsOf(
    model,
    used.flatMap(({ parts }) => parts?.requests ?? []),
  )
}
