/** What the client asked to see: the target's query, and the content of a QUERY. */

import type { NegotiatedRequest, RequestContent } from '../context/request-context.ts'
import type { HttpRequest } from '../http/message.ts'
import { isConditional } from '../http/precondition.ts'
import { fullSelection, type ItemSelection, parseItemQuery } from '../query/item-query.ts'
import {
  createListQuery,
  type ListParameters,
  type ListQuery,
  parseListParameters,
} from '../query/list-query.ts'
import { parseKnownParameters } from '../query/query-parameter.ts'
import type { MaybePromise } from '../store/store.ts'

/** What the query of the target says; of lists the content of a QUERY may say more. */
export interface ParsedQuery {
  readonly selection: ItemSelection
  readonly parameters: ListParameters | undefined
  /** Whether all records are to be counted (Prefer: count=exact). */
  readonly counted: boolean
}

export interface ResolvedQuery {
  readonly selection: ItemSelection
  /** Undefined where no list is asked for. */
  readonly list: ListQuery | undefined
  readonly counted: boolean
}

const lists: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY'])

/** Refuses 400. */
export function parseQuery(negotiated: NegotiatedRequest, request: HttpRequest): ParsedQuery {
  const { method, target, caller, preferences } = negotiated
  if (target.kind === 'collection' && lists.has(method)) {
    const parameters = parseListParameters(target.resource, caller, target.query)
    return { selection: parameters, parameters, counted: preferences.has('count') }
  }
  const reads = target.kind === 'item' && lists.has(method)
  const selection = reads ? parseItemQuery(target.resource, caller, target.query) : fullSelection
  const own = target.kind === 'document' ? (target.document.parameters ?? []) : []
  if (!reads) parseKnownParameters(target.query, ['format', ...own])
  // The conditions of a POST are on what its target would show (RFC 9110 §13.1).
  const held = target.kind === 'collection' && isConditional(request)
  const parameters = held ? parseListParameters(target.resource, caller, target.query) : undefined
  return { selection, parameters, counted: false }
}

/** Reads the content of a QUERY, before anything is loaded. Refuses 400, 413, 422. */
export function resolveQuery(
  { service, method }: NegotiatedRequest,
  { selection, parameters, counted }: ParsedQuery,
  content: RequestContent | undefined,
): MaybePromise<ResolvedQuery> {
  if (!parameters) return { selection, list: undefined, counted }
  const rowQuery = (sent: { readonly body: unknown } | undefined) => ({
    selection,
    list: createListQuery(parameters, sent, service.cursors),
    counted,
  })
  if (method !== 'QUERY' || !content) return rowQuery(undefined)
  return content.read().then((body) => rowQuery({ body }))
}
