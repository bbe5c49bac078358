/**
 * The capabilities of the service for its own description, read from the tables that handle requests. See
 * decision 0033.
 */

import { createSchema } from '../definition/json-schemas.ts'
import type { Model } from '../definition/model.ts'
import { reservedSegment } from '../definition/paths.ts'
import { type Format, maxItems } from '../formats/format.ts'
import { formatsFor, formatsForRows } from '../formats/formats.ts'
import { html } from '../formats/html.ts'
import { eventStream } from '../formats/server-sent-events.ts'
import type {
  Capabilities,
  DocumentCapability,
  FormatCapability,
  PostCapability,
} from '../requests/context/capabilities.ts'
import type { Document, DocumentTable } from '../requests/context/target.ts'
import { acceptedTypes } from '../requests/decisions/content.ts'

/** The capabilities of a service with these authentication schemes and documents. */
export function createCapabilities(schemes: readonly string[], documents: DocumentTable): Capabilities {
  // Documents in HTML alone are for people, and so are those that take forms or respond by themselves without a
  // described POST.
  const all = [...documents.values()].filter(
    ({ respond, form, operations, formats }) =>
      (!respond || form?.summary !== undefined || operations === 'route') &&
      operations !== 'upload' &&
      operations !== 'selection' &&
      !formats?.every((format) => format === html),
  )
  return {
    schemes,
    formats: {
      item: formatsFor('item').map(formatCapability),
      collection: formatsFor('collection').map(formatCapability),
      aggregate: formatsFor('aggregate').map(formatCapability),
      document: formatsFor('document').map(formatCapability),
      rows: formatsForRows.map(formatCapability),
      problem: formatsFor('problem').map(formatCapability),
    },
    stream: formatCapability(eventStream),
    acceptedTypes: (content, resource) => acceptedTypes(content, resource),
    maxBulkItems: maxItems,
    ...splitDocuments(all),
  }
}

/** The documents of the service, and those below items. What only administrators have below items is left out. */
export function splitDocuments(
  documents: readonly Document[],
): Pick<Capabilities, 'documents' | 'itemDocuments'> {
  const all = documents.filter(({ route }) => !route.includes(`/${reservedSegment}/`)).map(documentCapability)
  return {
    documents: all.filter(({ route }) => !isBelowItem(route)),
    itemDocuments: all.filter(({ route }) => isBelowItem(route)),
  }
}

/** Whether the document belongs to an item, such as its history. */
export function isBelowItem(route: string): boolean {
  return route.startsWith(`${itemRoute}/`)
}

const itemRoute = '/{collection}/{id}'

/** The document as descriptions see it. */
function documentCapability(document: Document): DocumentCapability {
  const { route, summary = route, schema = {}, parameter, parameters = [], audience, methods, by } = document
  const posted = postOf(document)
  const described = { route, summary, schema, parameter, parameters, audience, posted, methods, by }
  const { formats = formatsFor('document'), operations = 'document' } = document
  return { ...described, kind: operations, formats: formats.map(formatCapability) }
}

function postOf({ posted, form }: Document): PostCapability | undefined {
  if (form?.summary !== undefined) {
    const { summary, status, input } = form
    const contentOf = (model: Model) => {
      const { $schema: _, title: _title, ...schema } = createSchema(input(model))
      return schema
    }
    return { summary, status, contentOf }
  }
  return posted && { ...posted, status: 200, contentOf: () => posted.content }
}

function formatCapability({ name, mediaType }: Format): FormatCapability {
  return { name, mediaType }
}
