/** GET and QUERY of a query: reads its input and runs its code, which reads the snapshot of the unit. */

import type { RequestContext } from '../../requests/context/request-context.ts'
import type { ActionTarget } from '../../requests/context/target.ts'
import { refusedAsParameters } from '../../requests/decisions/input-parameters.ts'
import type { CurrentState } from '../../requests/read/current-state.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import { findAskedForm } from '../../views/declared-actions.ts'
import type { DocumentView, FileView } from '../../views/view.ts'
import { parseActionInput } from './action-input.ts'
import { createResultView } from './action-result.ts'
import { actionPlace } from './jobs/queue-job.ts'

/** The declared result. Refuses 422, and 400 where the input came as parameters. */
export function performQuery(
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  sent: unknown,
): Promise<DocumentView | FileView> {
  const ask = () => askQuery(context, current, sent)
  return context.method === 'QUERY' ? ask() : refusedAsParameters(ask)
}

async function askQuery(
  { service, unit, caller, target, format, requestId }: RequestContext<ActionTarget>,
  current: CurrentState,
  sent: unknown,
): Promise<DocumentView | FileView> {
  const { resource, action } = target
  const input = await parseActionInput(unit, caller, action, sent)
  const session = service.logic?.begin(unit.store, { caller, requestId })
  const row = current.kind === 'found' ? current.row : undefined
  const outcome = await session?.act({ resource, action, row, input })
  if (!outcome?.result) throw new Error('A query has a runner and a result')
  const view = createResultView(outcome.result)
  if (view.kind === 'file') return view
  const octets = Buffer.byteLength(JSON.stringify(view.data))
  if (octets > unit.limits.page) {
    const place = actionPlace(resource, action)
    throw new LogicFailure(place, `${place} returned ${octets} octets, more than ${unit.limits.page}.`)
  }
  if (format.hypermedia !== 'actions') return view
  const form = findAskedForm({ model: unit.model, caller }, action, { uri: target.path, values: input })
  return { ...view, hypermedia: { links: [], actions: form ? [form] : [] } }
}
