/** The query of a stream of changes: where it begins, and which changes it shows. */

import type { HttpRequest } from '../../http/message.ts'
import { formatQueryString } from '../../http/query-string.ts'
import {
  invalidParameter,
  parseAllParameters,
  valuesByName,
  withoutParameter,
} from '../../query/query-parameter.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import type { FeedPosition } from './position-token.ts'

/** The parameter with the position, for clients that cannot set the field Last-Event-ID. */
export const positionParameter = 'last-event-id'

/**
 * The position after which the changes begin: of Last-Event-ID, which a client sends when it connects
 * again, else of the parameter. Undefined without one; refuses 400.
 */
export function parseFeedPosition(
  { service, target }: Pick<RequestContext, 'service' | 'target'>,
  request: HttpRequest,
): FeedPosition | undefined {
  const sent = parseAllParameters(target.query).filter(([name]) => name === positionParameter)
  const parameter = valuesByName(sent).get(positionParameter)
  const token = request.fields[positionParameter] || parameter
  return token ? service.changes.parsePosition(token) : undefined
}

/** The query without the position, which has no effect on a list: the URI of its stream may be read as a list. */
export function withoutPosition(query: string | undefined): string | undefined {
  return withoutParameter(query, positionParameter)
}

/** The query of the first page: the stream is the same on every page. */
export function withoutCursor(query: string | undefined): string | undefined {
  return withoutParameter(withoutParameter(query, 'after'), 'before')
}

/** Parameters that choose a page of a list. The stream follows all pages. */
const pageParameters: ReadonlySet<string> = new Set(['limit', 'sort', 'after', 'before'])
/** Parameters that show other data than the changed item. */
const unsuitable: ReadonlySet<string> = new Set(['embed'])

/** The query without the parameters that have no meaning for a stream; refuses 400 for unsuitable ones. */
export function withoutFeedParameters({ kind, query }: Target): string {
  const parameters = parseAllParameters(query).filter(([name]) => name !== positionParameter)
  if (kind === 'document') return formatQueryString(parameters)
  for (const [name] of parameters) {
    if (unsuitable.has(name)) throw invalidParameter(name, 'cannot be combined with a stream of changes')
  }
  const isPaged = (name: string) => kind === 'collection' && pageParameters.has(name)
  return formatQueryString(parameters.filter(([name]) => !isPaged(name)))
}
