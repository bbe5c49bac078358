/** The capabilities of the service for its own description, read from the tables that handle requests. */

import { type Format, maxItems } from '../formats/format.ts'
import { formatsFor } from '../formats/formats.ts'
import { eventStream } from '../formats/server-sent-events.ts'
import type { Document, DocumentTable } from '../requests/context/target.ts'
import { acceptedTypes } from '../requests/decisions/content.ts'
import type { Capabilities, DocumentCapability, FormatCapability } from './capability-types.ts'

/** The capabilities of a service with these authentication schemes and documents. */
export function createCapabilities(schemes: readonly string[], documents: DocumentTable): Capabilities {
  const all = [...documents.values()].filter(
    ({ respond, posted, operations, formats }) =>
      (!respond || posted) &&
      operations !== 'upload' &&
      operations !== 'selection' &&
      !formats?.every(({ isHtml }) => isHtml),
  )
  return {
    schemes,
    formats: {
      item: formatsFor('item').map(formatCapability),
      collection: formatsFor('collection').map(formatCapability),
      problem: formatsFor('problem').map(formatCapability),
    },
    stream: formatCapability(eventStream),
    acceptedTypes: (content, resource) => acceptedTypes(content, resource),
    maxBulkItems: maxItems,
    // Documents in HTML alone are for people, and so are those that take forms or respond by themselves without a
    // described POST; those below items belong to resources.
    documents: all.filter(({ route }) => !route.startsWith(itemRoute)).map(documentCapability),
    itemDocuments: all.filter(({ route }) => isBelowItem(route)).map(documentCapability),
  }
}

/** Whether the document belongs to an item, such as its history. */
export function isBelowItem(route: string): boolean {
  return route.startsWith(`${itemRoute}/`)
}

const itemRoute = '/{collection}/{id}'

function documentCapability(document: Document): DocumentCapability {
  const { route, summary = route, schema = {}, parameter, parameters = [], audience, posted } = document
  const formats = document.formats ?? formatsFor('document')
  const described = { route, summary, schema, parameter, parameters, audience, posted }
  return { ...described, formats: formats.map(formatCapability) } satisfies DocumentCapability
}

function formatCapability({ name, mediaType }: Format): FormatCapability {
  return { name, mediaType }
}
