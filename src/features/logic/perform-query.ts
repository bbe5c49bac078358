/** GET and QUERY of a query: reads its input and runs its code, which reads the snapshot of the unit. */

import { html } from '../../formats/html.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { ActionTarget } from '../../requests/context/target.ts'
import { refusedAsParameters } from '../../requests/decisions/input-parameters.ts'
import type { QueryView } from '../../requests/feature-code.ts'
import type { CurrentState } from '../../requests/read/current-state.ts'
import { type ItemIds, LogicFailure } from '../../requests/write/logic-runner.ts'
import { findAskedForm } from '../../views/declared-actions.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import type { CollectionView, DocumentView } from '../../views/view.ts'
import { parseActionInput } from './action-input.ts'
import { createResultView, resultPageName } from './action-result.ts'
import { loadItems } from './item-results.ts'
import { actionPlace } from './jobs/queue-job.ts'

/** The declared result. Refuses 422, and 400 where the input came as parameters. */
export function performQuery(
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  sent: unknown,
): Promise<QueryView> {
  const ask = () => askQuery(context, current, sent)
  return context.method === 'QUERY' ? ask() : refusedAsParameters(ask)
}

async function askQuery(
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  sent: unknown,
): Promise<QueryView> {
  const { service, unit, caller, target, format, requestId } = context
  const { resource, action } = target
  const input = await parseActionInput(unit, caller, action, sent)
  const session = service.logic?.begin(unit.store, { caller, requestId })
  const row = current.kind === 'found' ? current.row : undefined
  const outcome = await session?.act({ resource, action, row, input })
  if (!outcome?.result) throw new Error('A query has a runner and a result')
  const form = format.hypermedia === 'actions' ? askedForm(context, input) : undefined
  const actions = form ? [form] : []
  if (outcome.result.kind === 'items') return showItems(context, outcome.result, actions)
  const view = createResultView(outcome.result)
  if (view.kind === 'file') return view
  const octets = Buffer.byteLength(JSON.stringify(view.data))
  if (octets > unit.limits.page) {
    const place = actionPlace(resource, action)
    throw new LogicFailure(place, `${place} returned ${octets} octets, more than ${unit.limits.page}.`)
  }
  return format.hypermedia === 'actions' ? { ...view, hypermedia: { links: [], actions } } : view
}

/** The form of the query with its input, to ask again. */
function askedForm({ unit, caller, target }: RequestContext<ActionTarget>, values: AskedForm['values']) {
  return findAskedForm({ model: unit.model, caller }, target.action, { uri: target.path, values })
}

type AskedForm = Parameters<typeof findAskedForm>[2]

/** The items as a collection; a page shows them as the result that they are. */
async function showItems(
  context: RequestContext<ActionTarget>,
  found: ItemIds,
  actions: readonly Action[],
): Promise<CollectionView | DocumentView> {
  const view = await loadItems(context, found)
  const { links = [], ...more } = view.hypermedia ?? {}
  if (context.format !== html) {
    return view.hypermedia ? { ...view, hypermedia: { ...more, links, actions } } : view
  }
  const { name } = context.target.action
  return {
    kind: 'document',
    name,
    page: resultPageName,
    data: null,
    items: view,
    hypermedia: { links, actions },
  }
}
