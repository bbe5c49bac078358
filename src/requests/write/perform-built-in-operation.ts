/** Performs the operations on built-in items: a POST to the name below the item. */

import type { ItemOperation } from '../../definition/item-operations.ts'
import { cancelJob } from '../../features/logic/jobs/job-operations.ts'
import { confirmCredential } from '../../features/second-factors/credential-operations.ts'
import { ping, redeliver, rotate } from '../../features/webhooks/webhook-operations.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ItemTarget } from '../context/target.ts'
import type { FoundItem } from '../read/current-state.ts'
import type { PlannedChange } from './planned-change.ts'

type Perform = (
  context: RequestContext<ItemTarget>,
  current: FoundItem,
  readBody: ReadBody,
) => Promise<PlannedChange>

/** The content of the request, which most operations ignore. */
type ReadBody = () => Promise<unknown>

const operations: Readonly<Record<ItemOperation, Perform>> = {
  ping,
  rotate,
  redeliver,
  cancel: cancelJob,
  confirm: async (context, current, readBody) => confirmCredential(context, current, await readBody()),
}

/** Performs the operation that the target names. */
export function performBuiltInOperation(
  context: RequestContext<ItemTarget>,
  current: FoundItem,
  readBody: ReadBody,
): Promise<PlannedChange> {
  const { operation } = context.target
  if (operation === undefined) throw new Error('The target names no operation')
  return operations[operation](context, current, readBody)
}
