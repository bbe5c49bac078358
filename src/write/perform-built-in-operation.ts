/** Performs the operations on built-in items: a POST to the name below the item. */

import type { RequestContext } from '../context/request-context.ts'
import type { ItemTarget } from '../context/target.ts'
import type { ItemOperation } from '../definition/item-operations.ts'
import type { FoundItem } from '../read/current-state.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { confirmCredential } from './credential-operations.ts'
import { cancelJob } from './job-operations.ts'
import { ping, redeliver, rotate } from './webhook-operations.ts'

type Perform = (
  context: RequestContext<ItemTarget>,
  current: FoundItem,
  readBody: ReadBody,
) => Promise<ViewResponse>

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
): Promise<ViewResponse> {
  const { operation } = context.target
  if (operation === undefined) throw new Error('The target names no operation')
  return operations[operation](context, current, readBody)
}
