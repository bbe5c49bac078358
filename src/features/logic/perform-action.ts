/** POST to an action: reads its input and runs its code, whose writes are the change. */

import { isUnfinished } from '../../definition/job.ts'
import { type ActionModel, columnCount, IDENTITY } from '../../definition/model.ts'
import { readsOtherRecords } from '../../definition/rule.ts'
import { madeTypeOf } from '../../http/served-type.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { ActionTarget } from '../../requests/context/target.ts'
import type { CurrentState, FoundItem } from '../../requests/read/current-state.ts'
import { fileContentFields } from '../../requests/respond/file-content.ts'
import type { ViewResponse } from '../../requests/respond/finish-response.ts'
import type { ActionOutcome, LogicSession, MadeItem } from '../../requests/write/logic-runner.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import {
  changedResponse,
  createdResponse,
  emptyResponse,
  previewWrite,
} from '../../requests/write/written-response.ts'
import { all, equals, never } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { readField } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import { findRow } from '../../store/table-rows.ts'
import type { RequireRow } from '../../store/write.ts'
import { itemUri } from '../../views/uri.ts'
import { parseActionInput } from './action-input.ts'
import { createResultView } from './action-result.ts'
import { type AwaitedJob, waitForJob, waitingTime } from './jobs/job-wait.ts'
import { type BackgroundCall, createJob } from './jobs/queue-job.ts'

/**
 * 200 with the declared result, 201 where the code says that it made an item, 303 where it says so. Without a declaration, 201 with the item that the action made and returned, else 200 with
 * its own item; 204 without one to show.
 * 202 with the job of a background action; 200 where it ends while the client prefers to wait.
 */
export async function performAction(
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  body: unknown,
): Promise<PlannedChange> {
  const { service, unit, caller, target, requestId } = context
  const { resource, action } = target
  const input = await parseActionInput(unit, caller, action, body)
  const item = current.kind === 'found' ? current : undefined
  const row = item?.row
  if (action.background) return performInBackground(context, item, input)
  const session = service.logic?.begin(unit.store, { caller, requestId })
  if (!session) throw new Error('A definition with actions has a logic runner')
  const outcome = await session.act({ resource, action, row, input })
  const guards = item ? rightGuards(action, item) : []
  return {
    writes: [...guards, ...session.writes],
    response: await responseTo(context, session, { row, outcome }),
  }
}

interface ActionEnd {
  /** The item of the action. */
  readonly row: Row | undefined
  readonly outcome: ActionOutcome
}

async function responseTo(
  context: RequestContext<ActionTarget>,
  session: LogicSession,
  { row, outcome: { made, result, seeOther } }: ActionEnd,
): Promise<ViewResponse> {
  const { resource } = context.target
  if (seeOther !== undefined) return { ...emptyResponse, status: 303, fields: { Location: seeOther } }
  // Only queries have items.
  if (result && result.kind !== 'items') {
    const view = createResultView(result)
    const fields =
      view.kind === 'file'
        ? fileContentFields({ ...view, served: madeTypeOf(view.type), hasRanges: false })
        : {}
    const location = made && (await findLocation(context, session, made))
    if (location === undefined) return { status: 200, view, links: [], fields }
    return { status: 201, view, links: [], fields: { ...fields, Location: location } }
  }
  const shown = made ?? (row && { resource, identity: String(row[IDENTITY]) })
  if (!shown) return emptyResponse
  return responseWith(context, session, { ...shown, isMade: made !== undefined })
}

/** The URI of the item, if the caller may read it. */
async function findLocation(
  context: RequestContext<ActionTarget>,
  { preview }: LogicSession,
  made: MadeItem,
): Promise<string | undefined> {
  const { resource } = made
  const row = await findMade(preview, made)
  const shown = row && (await previewWrite(context, row, { store: preview, resource }))
  return shown?.view && itemUri(context.service.model, resource, shown.row)
}

/** Seconds after which a client may look at the job for the first time. */
const firstLook = 1

/** Queues the job and responds with it. The rules were evaluated for the request; they are not when the job runs. */
async function performInBackground(
  context: RequestContext<ActionTarget>,
  item: FoundItem | undefined,
  input: BackgroundCall['input'],
): Promise<PlannedChange> {
  const { unit, caller, target, requestId } = context
  const { resource, action } = target
  const { jobs, values, writes } = await createJob(unit, {
    resource,
    action,
    row: item?.row,
    input,
    caller,
    requestId,
  })
  const guards = item ? rightGuards(action, item) : []
  const queued = createdResponse(context, await previewWrite(context, values, { resource: jobs }))
  const job = { jobs, identity: String(values[IDENTITY]) }
  return {
    writes: [...guards, ...writes],
    response: toAccepted(queued),
    afterCommit: () => awaitedResponse(context, job),
  }
}

/** The response with the job as it is when it has ended, or when the client waits no longer; undefined: it waits for none. */
async function awaitedResponse(
  context: RequestContext<ActionTarget>,
  { jobs, identity }: AwaitedJob,
): Promise<ViewResponse | undefined> {
  const job = await waitForJob(context.unit, { jobs, identity }, waitingTime(context))
  if (!job) return undefined
  const shown = job.slice(0, columnCount(jobs))
  const preview = await previewWrite(context, shown, { resource: jobs })
  const isEnded = !isUnfinished(readField(jobs, job, 'status'))
  return isEnded ? changedResponse(context, preview) : toAccepted(createdResponse(context, preview))
}

/** 202 with a job that has not ended. */
function toAccepted(response: ViewResponse): ViewResponse {
  return { ...response, status: 202, fields: { ...response.fields, 'Retry-After': `${firstLook}` } }
}

interface ShownItem extends MadeItem {
  readonly isMade: boolean
}

/** The response with an item as it is after the writes; 204 where the writes delete it. */
async function responseWith(
  context: RequestContext<ActionTarget>,
  { preview }: LogicSession,
  { isMade, ...item }: ShownItem,
): Promise<ViewResponse> {
  const row = await findMade(preview, item)
  if (!row) return emptyResponse
  const shown = await previewWrite(context, row, { store: preview, resource: item.resource })
  return isMade ? createdResponse(context, shown) : changedResponse(context, shown)
}

/** The row of the item after the writes. */
async function findMade(preview: Store, { resource, identity }: MadeItem): Promise<Row | undefined> {
  return findRow(preview, resource, identity)
}

/**
 * Requires the right to the action again in the transaction, where it depends on other rows. The commit
 * repeats the read of the item itself.
 */
export function rightGuards(
  action: ActionModel,
  { row, rights }: Pick<FoundItem, 'row' | 'rights'>,
): readonly RequireRow[] {
  const { name, access } = rights.resource
  if (!readsOtherRecords(access.read) && !readsOtherRecords(action.by)) return []
  const right = rights.actions.get(action) ?? never
  const condition = all([equals(['_identity'], row[IDENTITY] as string), right])
  return [{ kind: 'require', table: name, condition }]
}
