/** POST to an action: reads its input, runs its code, and submits what the code wrote. */

import { type Rights, rightsOf } from '../access/rights.ts'
import type { LogicSession } from '../context/logic-runner.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ActionTarget } from '../context/target.ts'
import { type ActionModel, IDENTITY, type ResourceModel } from '../definition/model.ts'
import { readsOtherRecords } from '../definition/rule.ts'
import type { CurrentState } from '../read/current-state.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { all, equals, never } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import type { RequireRow } from '../store/write.ts'
import { parseActionInput } from './action-input.ts'
import { submitWrites } from './submit-write.ts'
import { changedResponse, createdResponse, emptyResponse, previewWrite } from './written-response.ts'

/** 201 with the item that the action made and returned, else 200 with its own item; 204 without one to show. */
export async function performAction(
  context: RequestContext<ActionTarget>,
  current: CurrentState,
  body: unknown,
): Promise<ViewResponse> {
  const { service, caller, target, requestId } = context
  const { resource, action } = target
  const input = await parseActionInput(service, caller, action, body)
  const session = service.logic?.begin({ caller, requestId })
  if (!session) throw new Error('A definition with actions has a logic runner')
  const row = current.kind === 'found' ? current.row : undefined
  const made = await session.act({ resource, action, row, input })
  const shown = made ?? (row && { resource, identity: String(row[IDENTITY]) })
  const response = shown
    ? await responseWith(context, session, { ...shown, isMade: made !== undefined })
    : emptyResponse
  const guards = row ? rightGuards(resource, { action, row, rights: rightsOf(resource, caller) }) : []
  return submitWrites(context, [...guards, ...session.writes], response)
}

interface ShownItem {
  readonly resource: ResourceModel
  readonly identity: string
  readonly isMade: boolean
}

/** The response with an item as it is after the writes; 204 where the writes delete it. */
async function responseWith(
  context: RequestContext<ActionTarget>,
  { preview }: LogicSession,
  { resource, identity, isMade }: ShownItem,
): Promise<ViewResponse> {
  const row = await preview.find({
    table: resource.name,
    column: '_identity',
    value: identity,
    evaluated: [],
  })
  if (!row) return emptyResponse
  const shown = await previewWrite(context, row, { store: preview, resource })
  return isMade ? createdResponse(context, shown) : changedResponse(context, shown)
}

interface UsedAction {
  readonly action: ActionModel
  readonly row: Row
  readonly rights: Rights
}

/**
 * Requires the right to the action again in the transaction, where it depends on other rows. The commit
 * repeats the read of the item itself.
 */
function rightGuards(
  { name, access }: ResourceModel,
  { action, row, rights }: UsedAction,
): readonly RequireRow[] {
  if (!readsOtherRecords(access.read) && !readsOtherRecords(action.by)) return []
  const right = rights.actions.get(action) ?? never
  const condition = all([equals(['_identity'], row[IDENTITY] as string), right])
  return [{ kind: 'require', table: name, condition }]
}
