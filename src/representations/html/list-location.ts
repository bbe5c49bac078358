/** URIs of the collection that is shown, with some of the query's parameters changed. */

import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import type { PageChrome } from '../../view/page-chrome.ts'

/** Where a page is in its collection: the path and all parameters but `format`. */
export interface PageLocation {
  readonly path: string
  readonly parameters: readonly QueryPair[]
}

export function pageLocation({ uri }: PageChrome): PageLocation {
  const at = uri.indexOf('?')
  if (at < 0) return { path: uri, parameters: [] }
  return { path: uri.slice(0, at), parameters: parseQueryString(uri.slice(at + 1)) ?? [] }
}

/** The first page with these parameters changed; undefined removes one. */
export function changed(
  { path, parameters }: PageLocation,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const kept = parameters.filter(([name]) => !positions.has(name) && !(name in changes))
  const added = Object.entries(changes).flatMap(([name, value]): QueryPair[] =>
    value === undefined ? [] : [[name, value]],
  )
  const query = formatQueryString([...kept, ...added])
  return query === '' ? path : `${path}?${query}`
}

/** A cursor is good only for the list it was made for. */
const positions: ReadonlySet<string> = new Set(['after', 'before'])
const controls: ReadonlySet<string> = new Set([...positions, 'sort', 'limit', 'fields', 'embed'])

export function parameterOf({ parameters }: PageLocation, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1]
}

/** The parameters that decide which items are shown. */
export function filtersOf({ parameters }: PageLocation): readonly QueryPair[] {
  return parameters.filter(([name]) => !controls.has(name))
}
