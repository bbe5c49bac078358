/** What the client asked to see of a collection: the query string, parsed once into a frozen tree. */

import type { ResourceModel, Stored } from '../declare/model.ts'
import { nearest } from '../declare/suggestion.ts'
import { formatQueryString, parseQueryString } from '../http/query-string.ts'
import { refuse } from '../refusal.ts'
import type { Order, Row } from '../store/store.ts'
import type { CursorSeal } from './cursor.ts'

export interface ListQuery {
  readonly limit: number
  readonly order: readonly Order[]
  /** The position to go on from. */
  readonly after: readonly Stored[] | undefined
  /** All parameters as they were sent, so that links can keep them. */
  readonly parameters: readonly Parameter[]
}

export type Parameter = readonly [name: string, value: string]

const defaultLimit = 50
const greatestLimit = 1000

/** The parameters of a target that knows only these; refuses unknown and repeated ones. */
export function parseParameters(
  query: string | undefined,
  known: readonly string[],
): readonly Parameter[] {
  if (query === undefined || query === '') return []
  const parameters = parseQueryString(query)
  if (!parameters) throw refuse('malformed-request', { detail: 'The query is not well encoded.' })
  const seen = new Set<string>()
  for (const [name] of parameters) {
    if (!known.includes(name)) throw unknownParameter(name, known)
    if (seen.has(name)) throw invalidParameter(name, 'is given twice')
    seen.add(name)
  }
  return parameters
}

export function parseListQuery(
  resource: ResourceModel,
  query: string | undefined,
  cursors: CursorSeal,
): ListQuery {
  const parameters = parseParameters(query, ['limit', 'after', 'format'])
  const values = new Map(parameters)
  const cursor = values.get('after')
  return Object.freeze({
    limit: parseLimit(values.get('limit')),
    order: Object.freeze([{ column: resource.key?.name ?? '_identity', descending: false }]),
    after: cursor === undefined ? undefined : cursors.parse(resource.name, cursor),
    parameters,
  })
}

/** The query that shows the page after this row. */
export function nextPage(
  resource: ResourceModel,
  query: ListQuery,
  last: Row,
  cursors: CursorSeal,
): string {
  const cursor = cursors.format(resource.name, [last[resource.key?.at ?? 0] ?? null])
  return formatQueryString([...withoutCursor(query), ['after', cursor]])
}

export function firstPage(query: ListQuery): string {
  return formatQueryString(withoutCursor(query))
}

function withoutCursor({ parameters }: ListQuery): readonly Parameter[] {
  return parameters.filter(([name]) => name !== 'after')
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > greatestLimit) {
    throw invalidParameter('limit', `must be an integer from 1 to ${greatestLimit}`)
  }
  return limit
}

function unknownParameter(name: string, known: readonly string[]) {
  const suggestion = nearest(name, known)
  const hint = suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`
  return refuse('unknown-parameter', {
    detail: `No parameter '${name}' here.${hint}`,
    members: { parameter: name },
  })
}

function invalidParameter(name: string, reason: string) {
  return refuse('invalid-parameter', {
    detail: `The parameter '${name}' ${reason}.`,
    members: { parameter: name },
  })
}
