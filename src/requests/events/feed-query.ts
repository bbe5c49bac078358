/** The query of a stream of changes: where it begins, and which changes it shows. */

import { eventStream } from '../../formats/server-sent-events.ts'
import type { HttpRequest } from '../../http/message.ts'
import { formatQueryString, parseQueryString } from '../../http/query-string.ts'
import { invalidParameter, parseAllParameters, valuesByName } from '../../query/query-parameter.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import type { SentPosition } from './position-token.ts'

/** The parameter with the position, for clients that cannot set the field Last-Event-ID. */
export const positionParameter = 'last-event-id'

/**
 * The position after which the changes begin: of Last-Event-ID, which a client sends when it connects
 * again, else of the parameter. Undefined without one; refuses 400.
 */
export function parseFeedPosition(
  { service, target }: Pick<RequestContext, 'service' | 'target'>,
  request: HttpRequest,
): SentPosition | undefined {
  const sent = parseAllParameters(target.query).filter(([name]) => name === positionParameter)
  const parameter = valuesByName(sent).get(positionParameter)
  const token = request.fields[positionParameter] || parameter
  return token ? service.changes.parsePosition(token) : undefined
}

/** Parameters that have no effect on a stream, which follows all pages and shows the changed item alone. */
const ineffective: ReadonlySet<string> = new Set(['limit', 'sort', 'after', 'before', 'embed'])

/** The query of a stream, or of a page of changes, without its position; refuses 400 for parameters without effect. */
export function withoutFeedParameters({ query }: Target, { isPage }: { readonly isPage: boolean }): string {
  const parameters = parseAllParameters(query).filter(([name]) => name !== positionParameter)
  for (const [name] of parameters) {
    const isLimit = isPage && name === 'limit'
    if (ineffective.has(name) && !isLimit) throw invalidParameter(name, 'has no effect on changes')
  }
  return formatQueryString(parameters)
}

/** The URI of the stream of a list, by that of any of its pages, or of an item. */
export function streamUri(uri: string): string {
  const at = uri.indexOf('?')
  if (at < 0) return `${uri}?${streamFormat}`
  const parameters = parseQueryString(uri.slice(at + 1)) ?? []
  const kept = parameters.filter(([name]) => name !== 'format' && !ineffective.has(name))
  return `${uri.slice(0, at)}?${formatQueryString([...kept, ['format', eventStream.name]])}`
}

const streamFormat = formatQueryString([['format', eventStream.name]])
