/** How the answer is to be shown: Accept, or `?format=` where the client names one outright. */

import type { HttpRequest } from '../http/message.ts'
import { negotiateMediaType } from '../http/negotiate.ts'
import { parseQueryString } from '../http/query-string.ts'
import { refuse } from '../refusal.ts'
import { formatsFor } from '../representations/formats.ts'
import type { Representation } from '../representations/representation.ts'
import type { Method } from './admission.ts'
import type { Target } from './target.ts'

/** The format; refuses 406 where none on offer is acceptable, before anything has an effect. */
export function negotiate(target: Target, method: Method, request: HttpRequest): Representation {
  const offers = offersFor(target, method)
  const named = namedFormat(target)
  const format =
    named === undefined
      ? offers.byMediaType.get(negotiateMediaType(request.fields.accept, offers.mediaTypes) ?? '')
      : offers.formats.find(({ name }) => name === named)
  if (format) return format
  // DELETE shows nothing, so nothing can be unacceptable about it.
  const first = offers.formats[0]
  if (method === 'DELETE' && first) return first
  throw refuse('not-acceptable', {
    detail: `On offer: ${offers.mediaTypes.join(', ')}.`,
    members: { offered: offers.mediaTypes },
  })
}

interface Offers {
  readonly formats: readonly Representation[]
  readonly mediaTypes: readonly string[]
  readonly byMediaType: ReadonlyMap<string, Representation>
}

type Shows = 'document' | 'collection' | 'item'

const offersByView: Readonly<Record<Shows, Offers>> = {
  document: offersOf('document'),
  collection: offersOf('collection'),
  item: offersOf('item'),
}

function offersOf(kind: Shows): Offers {
  return offersIn(formatsFor(kind))
}

function offersIn(formats: readonly Representation[]): Offers {
  return {
    formats,
    mediaTypes: formats.map(({ mediaType }) => mediaType),
    byMediaType: new Map(formats.map((format) => [format.mediaType, format])),
  }
}

/** A POST to a collection shows the item it makes. */
function offersFor(target: Target, method: Method): Offers {
  const { kind } = target
  if (kind === 'document' && target.document.formats) return offersIn(target.document.formats)
  if (kind === 'item' || (kind === 'collection' && method === 'POST')) return offersByView.item
  return kind === 'collection' ? offersByView.collection : offersByView.document
}

function namedFormat({ query }: Target): string | undefined {
  if (!query?.includes('format=')) return undefined
  return parseQueryString(query)?.find(([name]) => name === 'format')?.[1]
}
