/** The query of a request: the parameters of the target URI, and the content of a QUERY (RFC 10008). */

import type { NegotiatedRequest, RequestContent } from '../context/request-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import type { HttpRequest } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { isConditional } from '../http/precondition.ts'
import { fullSelection, type ItemSelection, parseItemQuery } from '../query/item-query.ts'
import {
  createListQuery,
  type ListParameters,
  type ListQuery,
  parseListParameters,
} from '../query/list-query.ts'
import { parseKnownParameters } from '../query/query-parameter.ts'

/** The parsed parameters of the target URI. */
interface ParsedQuery {
  readonly selection: ItemSelection
  readonly parameters: ListParameters | undefined
  /** Whether the response has the number of all items (Prefer: count=exact). */
  readonly counted: boolean
}

/** The parameters together with the content of a QUERY. */
export interface ResolvedQuery {
  readonly selection: ItemSelection
  /** Undefined when the request does not read a list. */
  readonly list: ListQuery | undefined
  readonly counted: boolean
}

/** The parameters of the target URI; refuses 400 for unknown or invalid ones. */
export function parseQuery(negotiated: NegotiatedRequest, request: HttpRequest): ParsedQuery {
  const { method, target, caller, preferences } = negotiated
  const isRead = safeMethods.has(method)
  if (target.kind === 'collection' && isRead) {
    const parameters = parseListParameters(listOf(target), caller, target.query)
    return { selection: parameters, parameters, counted: preferences.has('count') }
  }
  if (target.kind === 'item' && isRead) {
    const selection = parseItemQuery(target.resource, caller, target.query)
    return { selection, parameters: undefined, counted: false }
  }
  const ownParameters = target.kind === 'document' ? (target.document.parameters ?? []) : []
  parseKnownParameters(target.query, ['format', ...ownParameters])
  // RFC 9110 §13.1: the preconditions of a POST are evaluated on the list that its target shows.
  const isListed = target.kind === 'collection' && isConditional(request)
  const parameters = isListed ? parseListParameters(listOf(target), caller, target.query) : undefined
  return { selection: fullSelection, parameters, counted: false }
}

function listOf({ resource, parent }: CollectionTarget) {
  return { resource, within: parent && [parent.resource.name, parent.id, parent.relation.name] }
}

/** The query with the content of a QUERY, which is read before anything is loaded. Refuses 400, 413, 422. */
export async function resolveQuery(
  { service, method }: NegotiatedRequest,
  { selection, parameters, counted }: ParsedQuery,
  content: RequestContent | undefined,
): Promise<ResolvedQuery> {
  if (!parameters) return { selection, list: undefined, counted }
  const sent = method === 'QUERY' && content ? { body: await content.read() } : undefined
  return { selection, list: createListQuery(parameters, sent, service.cursors), counted }
}
