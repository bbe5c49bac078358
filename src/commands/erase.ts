/** `restwell erase`: removes the logged values of an item, such as those of a person's account. */

import { queueName } from '../definition/delivery-resources.ts'
import { IDENTITY } from '../definition/model.ts'
import { sealAudit } from '../features/audit/audit-sealing.ts'
import {
  type AccountContext,
  printLine,
  runAccountAction,
} from '../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { maxScannedEntries } from '../store/audit.ts'
import { afterConsumerName } from '../work/change-consumer.ts'
import { laneOf, removeLane } from '../work/queued-work.ts'

export const erase: Command = {
  usage: 'COLLECTION/ID [--service service.ts] [--database URL]',
  summary: 'Removes the values of an item from the change log, histories and tombstones.',
  run: (args) => runAccountAction('erase', args, { values: [], switches: [] }, eraseItem),
}

async function eraseItem({ model, store, actor }: AccountContext, [path = '']: readonly string[]) {
  const [, collection = '', id = ''] = /^\/?([^/]+)\/(.+)$/.exec(path) ?? []
  const resource = model.resources.get(collection)
  if (!resource) throw new CommandFault(`Expected COLLECTION/ID, such as users/0198…, not '${path}'.`)
  const column = resource.keyField?.name ?? '_identity'
  const row = await store.find({ table: collection, column, value: id, evaluated: [] })
  await sealAudit(store.audit, model)
  // The audit still knows the identity of a deleted item.
  const identity = row ? String(row[IDENTITY]) : await findAuditedIdentity(store, collection, id)
  if (identity === undefined)
    throw new CommandFault(`There is no item '${id}' in ${collection}, and there was none.`)
  await store.audit.erase(collection, identity)
  await eraseQueued({ model, store }, collection, identity)
  const at = new Date().toISOString()
  await store.write([{ kind: 'record', event: 'erased', table: collection, identity, id, at }], { actor })
  await sealAudit(store.audit, model)
  printLine(`The logged values of ${collection}/${id} were removed.${row ? ' The item itself remains.' : ''}`)
}

/** Deletes the runs of `after` hooks of the item that are still queued or parked: they have its values. */
async function eraseQueued(
  { model, store }: Pick<AccountContext, 'model' | 'store'>,
  subscriber: string,
  item: string,
): Promise<void> {
  const queue = model.ownTables.get(queueName)
  const lane = laneOf(afterConsumerName, { subscriber, item })
  if (queue) await removeLane(store, { queue, consumer: afterConsumerName }, lane)
}

/** The identity of the last item with that id. */
async function findAuditedIdentity(
  { audit }: AccountContext['store'],
  table: string,
  id: string,
): Promise<string | undefined> {
  const { checkpoint, end } = await audit.extent()
  for (let number = end.number + 1; number > checkpoint.number; number -= maxScannedEntries) {
    const [entry] = await audit.list({ direction: 'older', number, limit: 1, filter: { table, id } })
    if (entry) return entry.identity
  }
  return undefined
}
