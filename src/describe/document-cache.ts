/**
 * Documents made from the definition. Each is made once for all callers to whom the same is shown,
 * in steps that leave the event loop free, and its octets are kept.
 */

import type { Model } from '../definition/model.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { encodeInSlices, type Pieces } from '../tools/time-slices.ts'

/** What all kept documents of a service take at most, in octets: the oldest go first. */
const maxOctets = 64 * 1024 * 1024

interface CachedDocument {
  readonly content: Promise<Uint8Array>
  /** 0 while it is being made. */
  octets: number
}

const documentsOf = memoizeByObject((_model: Model) => new Map<string, CachedDocument>())

/** The one that is being made: the next waits for it, so that memory is needed for one at a time. */
let making: Promise<unknown> = Promise.resolve()

/** The octets of the document of this name; `describe` makes its text where it is not there yet. */
export function cachedDocument(
  model: Model,
  name: string,
  describe: () => Pieces,
): Promise<Uint8Array> {
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
    // Whoever asked for it is told; the next to ask begins anew.
    () => documents.delete(name),
  )
  return kept.content
}

function createContent(describe: () => Pieces): Promise<Uint8Array> {
  const content = making.then(() => encodeInSlices(describe()))
  // A failure is told to those who asked, not to those who wait.
  making = content.catch(() => undefined)
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
