/** The capabilities of the service for its own description, read from the tables that handle requests. */

import type { Document, DocumentTable, Target } from '../context/target.ts'
import type { ResourceModel } from '../definition/model.ts'
import type { Capabilities, DocumentCapability, FormatCapability } from '../describe/capabilities.ts'
import { eventStream } from '../representations/event-stream.ts'
import { type Format, maxItems } from '../representations/format.ts'
import { formatsFor } from '../representations/formats.ts'
import { acceptedTypes } from '../request/content.ts'

/** The capabilities of a service with these authentication schemes and documents. */
export function createCapabilities(schemes: readonly string[], documents: DocumentTable): Capabilities {
  return {
    schemes,
    formats: {
      item: formatsFor('item').map(formatCapability),
      collection: formatsFor('collection').map(formatCapability),
      problem: formatsFor('problem').map(formatCapability),
    },
    stream: formatCapability(eventStream),
    acceptedTypes: (method, resource) => acceptedTypes(method, collectionTarget(resource)),
    maxBulkItems: maxItems,
    // Documents that respond by themselves are for HTML pages only.
    documents: [...documents.values()].filter(({ respond }) => !respond).map(documentCapability),
  }
}

/** A collection target without a path: only its resource is used. */
function collectionTarget(resource: ResourceModel): Target {
  return {
    kind: 'collection',
    resource,
    parent: undefined,
    path: '',
    query: undefined,
    route: '',
    readsOtherResources: false,
  }
}

function documentCapability(document: Document): DocumentCapability {
  const { route, summary = route, schema = {}, parameter, parameters = [], audience } = document
  const formats = document.formats ?? formatsFor('document')
  return { route, summary, schema, parameter, parameters, audience, formats: formats.map(formatCapability) }
}

function formatCapability({ name, mediaType }: Format): FormatCapability {
  return { name, mediaType }
}
