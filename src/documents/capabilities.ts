/** What a description is made from: the tables that the journey itself goes by. */

import type { Document, DocumentTable, Target } from '../context/target.ts'
import type { ResourceModel } from '../definition/model.ts'
import type {
  Capabilities,
  DocumentCapability,
  FormatCapability,
} from '../describe/capabilities.ts'
import { formatsFor } from '../representations/formats.ts'
import { maxItems, type Representation } from '../representations/representation.ts'
import { acceptedTypes } from '../request/content.ts'

/** Of a service that authenticates by these schemes and serves these documents. */
export function createCapabilities(
  schemes: readonly string[],
  documents: DocumentTable,
): Capabilities {
  return {
    schemes,
    formats: {
      item: formatsFor('item').map(formatCapability),
      collection: formatsFor('collection').map(formatCapability),
      problem: formatsFor('problem').map(formatCapability),
    },
    acceptedTypes: (method, resource) => acceptedTypes(method, collectionTarget(resource)),
    maxBulkItems: maxItems,
    // What answers by itself is for pages alone.
    documents: [...documents.values()].filter(({ respond }) => !respond).map(documentCapability),
  }
}

/** A target of the resource, of which only the resource matters. */
function collectionTarget(resource: ResourceModel): Target {
  return {
    kind: 'collection',
    resource,
    path: '',
    query: undefined,
    route: '',
    readsOtherResources: false,
  }
}

function documentCapability(document: Document): DocumentCapability {
  const { route, summary = route, schema = {}, parameter, audience } = document
  const formats = document.formats ?? formatsFor('document')
  return { route, summary, schema, parameter, audience, formats: formats.map(formatCapability) }
}

function formatCapability({ name, mediaType }: Representation): FormatCapability {
  return { name, mediaType }
}
