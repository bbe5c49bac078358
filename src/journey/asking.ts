/** What the client asked to see: the target's query, and the content of a QUERY. */

import type { HttpRequest } from '../http/message.ts'
import { parseItemQuery, type Showing, wholeShowing } from '../query/item-query.ts'
import {
  type ListParameters,
  type ListQuery,
  listQueryOf,
  parseListParameters,
} from '../query/list-query.ts'
import { parseParameters } from '../query/parameter.ts'
import type { Awaitable } from '../store/store.ts'
import type { AdmittedContent } from './content.ts'
import type { Asked } from './errand.ts'
import { isConditional } from './judge.ts'

/** What the query of the target says; of lists the content of a QUERY may say more. */
export interface ParsedQuery {
  readonly showing: Showing
  readonly parameters: ListParameters | undefined
  /** Whether all records are to be counted (Prefer: count=exact). */
  readonly counted: boolean
}

export interface Question {
  readonly showing: Showing
  /** Undefined where no list is asked for. */
  readonly list: ListQuery | undefined
  readonly counted: boolean
}

const lists: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY'])

/** Refuses 400. */
export function parseQuery(asked: Asked, request: HttpRequest): ParsedQuery {
  const { method, target, who, preferences } = asked
  if (target.kind === 'collection' && lists.has(method)) {
    const parameters = parseListParameters(target.resource, who, target.query)
    return { showing: parameters, parameters, counted: preferences.has('count') }
  }
  const reads = target.kind === 'item' && lists.has(method)
  const showing = reads ? parseItemQuery(target.resource, who, target.query) : wholeShowing
  const own = target.kind === 'document' ? (target.document.parameters ?? []) : []
  if (!reads) parseParameters(target.query, ['format', ...own])
  // The conditions of a POST are on what its target would show (RFC 9110 §13.1).
  const held = target.kind === 'collection' && isConditional(request)
  const parameters = held ? parseListParameters(target.resource, who, target.query) : undefined
  return { showing, parameters, counted: false }
}

/** Reads the content of a QUERY, before anything is loaded. Refuses 400, 413, 422. */
export function readQuestion(
  { context, method }: Asked,
  { showing, parameters, counted }: ParsedQuery,
  content: AdmittedContent | undefined,
): Awaitable<Question> {
  if (!parameters) return { showing, list: undefined, counted }
  const question = (sent: { readonly body: unknown } | undefined) => ({
    showing,
    list: listQueryOf(parameters, sent, context.cursors),
    counted,
  })
  if (method !== 'QUERY' || !content) return question(undefined)
  return content.read().then((body) => question({ body }))
}
