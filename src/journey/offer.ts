/** What a description is made from: the tables that the journey itself goes by. */

import type { ResourceModel } from '../declare/model.ts'
import type { DocumentOffer, FormatOffer, Offer } from '../describe/offer.ts'
import { formatsFor } from '../representations/formats.ts'
import { mostItems, type Representation } from '../representations/representation.ts'
import { acceptedTypes } from './content.ts'
import type { Context } from './context.ts'
import { type Document, documents } from './document.ts'
import type { Target } from './target.ts'

export function offerOf({ schemes }: Pick<Context, 'schemes'>): Offer {
  return offerWith([...schemes.offered.values()].map(({ name }) => name))
}

/** Of a service that authenticates by these schemes. */
export function offerWith(schemes: readonly string[]): Offer {
  return {
    schemes,
    shown: {
      item: formatsFor('item').map(nameOf),
      collection: formatsFor('collection').map(nameOf),
      problem: formatsFor('problem').map(nameOf),
    },
    accepted: (method, resource) => acceptedTypes(method, somewhere(resource)),
    mostAtOnce: mostItems,
    // What answers by itself is for pages alone.
    documents: [...documents.values()].filter(({ respond }) => !respond).map(documentOffer),
  }
}

/** A target of the resource, of which only the resource matters. */
function somewhere(resource: ResourceModel): Target {
  return {
    kind: 'collection',
    resource,
    path: '',
    query: undefined,
    route: '',
    looksFurther: false,
  }
}

function documentOffer(document: Document): DocumentOffer {
  const { route, summary = route, schema = {}, parameter, audience } = document
  const formats = document.formats ?? formatsFor('document')
  return { route, summary, schema, parameter, audience, formats: formats.map(nameOf) }
}

function nameOf({ name, mediaType }: Representation): FormatOffer {
  return { name, mediaType }
}
