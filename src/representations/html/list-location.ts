/** URIs of the collection that is shown, with some of the query's parameters changed. */

import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import type { PageChrome } from '../../view/page-chrome.ts'

/** Where a page is in its collection: the path and all parameters but `format`. */
export interface ListLocation {
  readonly path: string
  readonly parameters: readonly QueryPair[]
}

export function parseListLocation({ uri }: PageChrome): ListLocation {
  const at = uri.indexOf('?')
  if (at < 0) return { path: uri, parameters: [] }
  return { path: uri.slice(0, at), parameters: parseQueryString(uri.slice(at + 1)) ?? [] }
}

/** The first page with these parameters changed; undefined removes one. */
export function formatListUri(
  { path, parameters }: ListLocation,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const kept = parameters.filter(([name]) => !cursorNames.has(name) && !(name in changes))
  const added = Object.entries(changes).flatMap(([name, value]): QueryPair[] =>
    value === undefined ? [] : [[name, value]],
  )
  const query = formatQueryString([...kept, ...added])
  return query === '' ? path : `${path}?${query}`
}

/** A cursor is good only for the list it was made for. */
const cursorNames: ReadonlySet<string> = new Set(['after', 'before'])
const controlNames: ReadonlySet<string> = new Set([
  ...cursorNames,
  'sort',
  'limit',
  'fields',
  'embed',
])

export function findParameter({ parameters }: ListLocation, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1]
}

/** The parameters that decide which items are shown. */
export function activeFilters({ parameters }: ListLocation): readonly QueryPair[] {
  return parameters.filter(([name]) => !controlNames.has(name))
}
