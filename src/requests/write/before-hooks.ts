/** Runs the `before` hooks of the definition for the items of a request. */

import type { BeforeHookName } from '../../definition/logic/logic-model.ts'
import type { ResourceModel } from '../../definition/model.ts'
import type { Store } from '../../store/store.ts'
import type { InsertWrite, Write } from '../../store/write.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import { checkAndHashPasswords, type InsertContext, type PreparedInsert } from './prepare-insert.ts'

type ItemContext = RequestContext<CollectionTarget | ItemTarget>

/** A run of the hooks; undefined where the resource has no such hook. */
export function beginLogic(
  { service, unit, caller, requestId }: Pick<RequestContext, 'service' | 'unit' | 'caller' | 'requestId'>,
  resource: ResourceModel,
  name: BeforeHookName,
) {
  if (!resource.logic?.before[name]) return undefined
  return service.logic?.begin(unit.store, { caller, requestId })
}

export interface InsertWithHooks {
  readonly write: InsertWrite
  /** The reads and writes of the hook. */
  readonly before: readonly Write[]
  /** The store with all writes, for the response. */
  readonly preview: Store
}

/** The insert after its hook, with its passwords hashed, and the reads and writes of the hook. */
export async function prepareWithHooks(
  context: ItemContext,
  insert: PreparedInsert,
): Promise<InsertWithHooks> {
  const hooked = await runInsertHook(context, insert.write)
  return { ...hooked, write: await checkAndHashPasswords(context, { ...insert, write: hooked.write }) }
}

/** The insert after its hook, and the reads and writes of the hook. */
export async function runInsertHook(
  context: InsertContext & Pick<RequestContext, 'requestId'>,
  write: InsertWrite,
): Promise<InsertWithHooks> {
  const { resource } = context.target
  const session = beginLogic(context, resource, 'create')
  if (!session) return { write, before: [], preview: context.unit.store }
  const { values, conditionAfter } = write
  const stored = await session.insert({ resource, values, conditionAfter })
  // The last write is the insert itself.
  return {
    write: { ...write, values: stored },
    before: session.writes.slice(0, -1),
    preview: session.preview,
  }
}
