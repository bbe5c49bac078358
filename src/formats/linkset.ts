/** Linksets (RFC 9264 §4.2): links as a document of their own. */

import type { JsonValue } from '../definition/model.ts'
import type { Link } from '../http/link.ts'
import type { View } from '../views/view.ts'
import type { Format } from './format.ts'

export const linksetType = 'application/linkset+json'

/** The format of documents that are linksets. */
export function createLinksetFormat(mediaType: string): Format {
  return {
    name: 'linkset',
    mediaType,
    viewKinds: new Set(['document']),
    write(view: View): string {
      if (view.kind !== 'document') throw new Error(`A linkset does not show ${view.kind}`)
      return JSON.stringify(view.data)
    },
  }
}

export const linkset = createLinksetFormat(linksetType)

/** The links of one context (§4.2.2), by relation in the order of their first link. */
export function createLinkset(anchor: string, links: readonly Link[]): JsonValue {
  const byRelation = [...Map.groupBy(links, ({ rel }) => rel)].map(([rel, several]) => [
    rel,
    several.map(({ target, rel: _, ...attributes }) => ({ href: target, ...attributes })),
  ])
  return { linkset: [{ anchor, ...Object.fromEntries(byRelation) }] }
}
