/** The query of a request: the parameters of the target URI, and the content of a QUERY (RFC 10008). */

import { eventStream } from '../../formats/server-sent-events.ts'
import type { HttpRequest } from '../../http/message.ts'
import { safeMethods } from '../../http/method.ts'
import { isConditional } from '../../http/precondition.ts'
import { fullSelection, type ItemSelection, parseItemQuery } from '../../query/item-query.ts'
import {
  createListQuery,
  type ListParameters,
  type ListQuery,
  parseListParameters,
} from '../../query/list-query.ts'
import { dryRunParameter, parseKnownParameters, versionParameter } from '../../query/query-parameter.ts'
import { operationOf } from '../context/operation-of.ts'
import type { OperationFacts } from '../context/operations.ts'
import type { RequestContent } from '../context/request-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget, Target } from '../context/target.ts'
import { parseFeedPosition, positionParameter, withoutFeedParameters } from '../events/feed-query.ts'
import type { SentPosition } from '../events/position-token.ts'
import { requireKnownVersion } from '../versions/requested-version.ts'
import { isDryRun, withoutDryRun } from './dry-run.ts'
import { parseInputParameters } from './input-parameters.ts'

/** The parameters together with the content of a QUERY. */
export interface ResolvedQuery {
  readonly selection: ItemSelection
  /** Undefined when the request does not read a list. */
  readonly list: ListQuery | undefined
  /** Whether the response has the number of all items (Prefer: count=exact). */
  readonly isCounted: boolean
  /** Where a stream of changes begins; undefined: now. */
  readonly feedStart?: SentPosition | undefined
  /** Whether the write is tried and not kept. */
  readonly isDryRun?: boolean | undefined
  /** The members of the input of a query, unchecked. */
  readonly input?: unknown
}

/** The parsed parameters of the target URI. */
interface ParsedQuery extends Omit<ResolvedQuery, 'list'> {
  readonly parameters: ListParameters | undefined
}

const ofWhole: ParsedQuery = { selection: fullSelection, parameters: undefined, isCounted: false }

/** The parameters of the target URI; refuses 400 for unknown or invalid ones. */
export async function parseQuery(context: RequestContext, request: HttpRequest): Promise<ParsedQuery> {
  const { target, caller, version, preferences } = context
  requireKnownVersion(context)
  const operation = operationOf(context)
  if (context.format === eventStream || operation.query === 'feed') return parseFeedQuery(context, request)
  if ((operation.query === 'list' || operation.query === 'aggregate') && target.kind === 'collection') {
    const parameters = parseListParameters(listOf(target), { caller, version }, target.query)
    return { selection: parameters, parameters, isCounted: preferences.has('count') }
  }
  if (operation.query === 'selection' && target.kind === 'item') {
    return { ...ofWhole, selection: parseItemQuery(target.resource, { caller, version }, target.query) }
  }
  const ownParameters = parametersOf(target, operation)
  const formats = operation.offers === 'file' || operation.offers === 'octets' ? [] : ['format']
  const versions = version ? [versionParameter] : []
  if (operation.query === 'input' && target.kind === 'action') {
    const others = [...formats, ...versions]
    const input = await parseInputParameters(target.action.input, target.query, others)
    return { ...ofWhole, input }
  }
  const sent = parseKnownParameters(target.query, [...formats, ...ownParameters, ...versions])
  if (ownParameters.includes(positionParameter)) {
    return { ...ofWhole, feedStart: parseFeedPosition(context, request) }
  }
  // RFC 9110 §13.1: the preconditions of a POST are evaluated on the list that its target shows.
  const isListed = operation.conditions === 'list' && isConditional(request)
  const listed = withoutDryRun(target.query)
  const parameters =
    isListed && target.kind === 'collection'
      ? parseListParameters(listOf(target), { caller, version }, listed)
      : undefined
  return { ...ofWhole, parameters, isDryRun: isDryRun(new Map(sent)) }
}

/** The parameters of a write, or of a document. */
function parametersOf(target: Target, { dryRun }: OperationFacts): readonly string[] {
  if (dryRun) return [dryRunParameter]
  return target.kind === 'document' ? (target.document.parameters ?? []) : []
}

function listOf({ resource, parent, below }: CollectionTarget) {
  const within = parent && [parent.resource.name, parent.id, parent.relation.name]
  return { resource, within, isGrouped: below === 'aggregate' }
}

/** The query of a stream or a page of changes: the filters and fields of its target, and where it begins. */
function parseFeedQuery(context: RequestContext, request: HttpRequest): ParsedQuery {
  const { target, caller, version } = context
  const feedStart = parseFeedPosition(context, request)
  const query = withoutFeedParameters(target, { isPage: context.format !== eventStream })
  if (target.kind === 'collection') {
    const parameters = parseListParameters(listOf(target), { caller, version }, query)
    return { ...ofWhole, selection: parameters, parameters, feedStart }
  }
  if (target.kind === 'item') {
    const selection = parseItemQuery(target.resource, { caller, version }, query)
    return { ...ofWhole, selection, feedStart }
  }
  parseKnownParameters(query, ['format', ...(version ? [versionParameter] : [])])
  return { ...ofWhole, feedStart }
}

/** The query with the content of a QUERY, which is read before anything is loaded. Refuses 400, 413, 422. */
export async function resolveQuery(
  context: RequestContext,
  parsed: ParsedQuery,
  content: RequestContent | undefined,
): Promise<ResolvedQuery> {
  const { parameters } = parsed
  const { content: kind } = operationOf(context)
  if (kind === 'input' && safeMethods.has(context.method)) {
    return { ...parsed, list: undefined, input: await content?.read() }
  }
  if (!parameters) return { ...parsed, list: undefined }
  const sent = kind === 'filter' && content ? { body: await content.read() } : undefined
  return { ...parsed, list: createListQuery(parameters, sent, context.service.cursors) }
}
