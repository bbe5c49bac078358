/** What the client asked to see: the target's query, and the content of a QUERY. */

import type { HttpRequest } from '../http/message.ts'
import { parsePrefer } from '../http/prefer.ts'
import { parseItemQuery, type Showing, wholeShowing } from '../query/item-query.ts'
import {
  type ListParameters,
  type ListQuery,
  listQueryOf,
  parseListParameters,
} from '../query/list-query.ts'
import { parseParameters } from '../query/parameter.ts'
import type { AdmittedContent } from './content.ts'
import type { Errand } from './errand.ts'

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
export function parseQuery(errand: Errand, { fields }: HttpRequest): ParsedQuery {
  const { method, target, who } = errand
  if (target.kind === 'collection' && lists.has(method)) {
    const parameters = parseListParameters(target.resource, who, target.query)
    const counted = parsePrefer(fields.prefer ?? '').get('count') === 'exact'
    return { showing: parameters, parameters, counted }
  }
  const reads = target.kind === 'item' && lists.has(method)
  const showing = reads ? parseItemQuery(target.resource, who, target.query) : wholeShowing
  if (!reads) parseParameters(target.query, ['format'])
  return { showing, parameters: undefined, counted: false }
}

/** Reads the content of a QUERY, before anything is loaded. Refuses 400, 413, 422. */
export async function readQuestion(
  { context, method }: Errand,
  { showing, parameters, counted }: ParsedQuery,
  content: AdmittedContent | undefined,
): Promise<Question> {
  if (!parameters) return { showing, list: undefined, counted }
  const body = method === 'QUERY' && content ? { body: await content.read() } : undefined
  return { showing, list: listQueryOf(parameters, body, context.cursors), counted }
}
