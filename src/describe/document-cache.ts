/**
 * A cache of documents generated from the definition, such as OpenAPI. A document is generated once
 * for all callers with the same view of it, in slices that yield to the event loop.
 */

import type { Model } from '../definition/model.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { encodeInSlices, type Pieces } from '../tools/time-slices.ts'

/** The size of all cached documents of a service, in octets. */
const maxOctets = 64 * 1024 * 1024

interface CachedDocument {
  readonly content: Promise<Uint8Array>
  /** 0 while it is generated. */
  octets: number
}

const documentsOf = memoizeByObject((_model: Model) => new Map<string, CachedDocument>())

/** The document in progress. The next one waits for it, to limit memory. */
let inProgress: Promise<unknown> = Promise.resolve()

/** Returns the octets of the document with this name; `describe` generates a missing one. */
export function cachedDocument(model: Model, name: string, describe: () => Pieces): Promise<Uint8Array> {
  const documents = documentsOf(model)
  const known = documents.get(name)
  if (known) return known.content
  const kept: CachedDocument = { content: createContent(describe), octets: 0 }
  documents.set(name, kept)
  kept.content.then(
    ({ length }) => {
      kept.octets = length
      evictOldest(documents)
    },
    // The caller gets the error; the next request generates the document again.
    () => documents.delete(name),
  )
  return kept.content
}

function createContent(describe: () => Pieces): Promise<Uint8Array> {
  const content = inProgress.then(() => encodeInSlices(describe()))
  // The failure of one document does not fail the next.
  inProgress = content.catch(() => undefined)
  return content
}

function evictOldest(documents: Map<string, CachedDocument>): void {
  let octets = [...documents.values()].reduce((sum, kept) => sum + kept.octets, 0)
  for (const [name, kept] of documents) {
    if (octets <= maxOctets) return
    documents.delete(name)
    octets -= kept.octets
  }
}
