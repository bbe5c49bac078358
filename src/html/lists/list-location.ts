/** The location of a list, and links to it with other query parameters. */

import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import { aggregationNames } from '../../query/aggregation.ts'
import { memoizeLast } from '../../tools/memoize.ts'
import { aggregateUri, formUriOf, pathAboveReserved } from '../../views/uri.ts'
import type { PageLayout } from '../loading/page-layout.ts'

/** The path of a list and its query parameters, without `format`. */
export interface ListLocation {
  readonly path: string
  readonly parameters: readonly QueryPair[]
}

export function parseListLocation({ uri }: Pick<PageLayout, 'uri'>): ListLocation {
  return parseUri(uri)
}

/** Each part of a page parses the same URI. */
const parseUri = memoizeLast((uri): ListLocation => {
  const at = uri.indexOf('?')
  if (at < 0) return { path: uri, parameters: [] }
  return { path: uri.slice(0, at), parameters: parseQueryString(uri.slice(at + 1)) ?? [] }
})

/** The URI for forms that filter or count the list. */
export function listFormUri(layout: PageLayout): string {
  return formUriOf(layout.model, parseListLocation(layout).path)
}

/** The URI for forms that ask for the groups of the list, on its page or on that of its groups. */
export function groupsFormUri(layout: PageLayout): string {
  return formUriOf(layout.model, aggregateUri(listPath(parseListLocation(layout))))
}

/** The path of the list, on its page or on that of its groups. */
export function listPath({ path }: ListLocation): string {
  return path === aggregateUri(pathAboveReserved(path)) ? pathAboveReserved(path) : path
}

/** The URI of the first page with these parameters changed; undefined removes a parameter. */
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

/** Removed from changed lists, because a cursor is valid only for its own list. */
const cursorNames: ReadonlySet<string> = new Set(['after', 'before'])
const controlNames: ReadonlySet<string> = new Set([
  ...cursorNames,
  ...['sort', 'limit', 'fields', 'embed', ...aggregationNames],
])

export function findParameter({ parameters }: ListLocation, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1]
}

/** The parameters that filter the list. */
export function activeFilters({ parameters }: ListLocation): readonly QueryPair[] {
  return parameters.filter(([name]) => !controlNames.has(name))
}
