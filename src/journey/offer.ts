/** What a description is made from: the tables that the journey itself goes by. */

import type { DocumentOffer, FormatOffer, Offer } from '../describe/offer.ts'
import { formatsFor } from '../representations/formats.ts'
import type { Representation } from '../representations/representation.ts'
import { acceptedTypes } from './content.ts'
import type { Context } from './context.ts'
import { type Document, documents } from './document.ts'

export function offerOf({ schemes }: Pick<Context, 'schemes'>): Offer {
  return offerWith([...schemes.values()].map(({ name }) => name))
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
    accepted: acceptedTypes,
    documents: [...documents.values()].map(documentOffer),
  }
}

function documentOffer(document: Document): DocumentOffer {
  const { route, summary, schema = {}, parameter } = document
  const formats = document.formats ?? formatsFor('document')
  return { route, summary, schema, parameter, formats: formats.map(nameOf) }
}

function nameOf({ name, mediaType }: Representation): FormatOffer {
  return { name, mediaType }
}
