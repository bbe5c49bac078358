/** `restwell erase`: removes the logged values of an item, such as those of a person's account. */

import { IDENTITY, type ResourceModel } from '../definition/model.ts'
import { sealAudit } from '../operation/audit-sealing.ts'
import {
  type AccountContext,
  printLine,
  runAccountAction,
} from '../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { loadParts } from '../service/loaded-features.ts'
import { maxScannedEntries } from '../store/audit-chain.ts'
import type { ErasedRow } from '../store/audit-store.ts'
import { findRow } from '../store/table-rows.ts'
import type { DeleteWrite } from '../store/write.ts'
import { referenceUri } from '../views/uri.ts'
import { type ErasedItem, type EraseRows, eraseWork } from '../work/erase-work.ts'

export const erase: Command = {
  usage: 'COLLECTION/ID [--service service.ts] [--database URL]',
  summary:
    'Removes the values of an item from the change log, histories, work, uploads and stored responses.',
  run: (args, load) => runAccountAction('erase', { args, load }, {}, eraseItem),
}

async function eraseItem({ model, store, actor }: AccountContext, [path = '']: readonly string[]) {
  const [, collection = '', id = ''] = /^\/?([^/]+)\/(.+)$/.exec(path) ?? []
  const resource = model.resources.get(collection)
  if (!resource) throw new CommandFault(`Expected COLLECTION/ID, such as users/0198…, not '${path}'.`)
  const column = resource.keyField?.name ?? '_identity'
  const row = await findRow(store, resource, id, column)
  await sealAudit(store.audit, model)
  // The audit still knows the identity of a deleted item.
  const identity = row ? String(row[IDENTITY]) : await findAuditedIdentity(store, collection, id)
  if (identity === undefined)
    throw new CommandFault(`There is no item '${id}' in ${collection}, and there was none.`)
  const erased = { table: collection, identity, id, names: namesOf(resource, identity, id) }
  await eraseLogged({ store, actor }, erased)
  const at = new Date().toISOString()
  const uri = referenceUri(model, resource, id)
  const item = { model, store, table: collection, identity, uri, at }
  const parts = (await loadParts()).flatMap((feature) => feature.work ?? [])
  const work = await eraseWork(item, Object.assign({}, ...parts.map(({ erasures }) => erasures)))
  const rows = await eraseRows(
    item,
    parts.flatMap((part) => part.rows ?? []),
  )
  const deleted = work && rows && [...work, ...rows]
  if (!deleted)
    throw new CommandFault(
      'The service has changed work or uploads of the item meanwhile. Run the command again.',
    )
  await sealAudit(store.audit, model)
  // Rows without a URI are not logged.
  const logged = deleted.filter(({ table }) => model.resources.has(table))
  for (const { table, identity } of logged)
    await eraseLogged({ store, actor }, { table, identity, id: identity })
  await sealAudit(store.audit, model)
  printLine(`The logged values of ${collection}/${id} were removed.${row ? ' The item itself remains.' : ''}`)
  printLine('Backups, exports, and what webhooks and mails have delivered still have them.')
}

/** Deletes rows that name the item; undefined where a running service has changed some of them meanwhile. */
async function eraseRows(
  item: ErasedItem,
  erasures: readonly EraseRows[],
): Promise<readonly DeleteWrite[] | undefined> {
  const deletions = (await Promise.all(erasures.map((erase) => erase(item)))).flat()
  let isComplete = true
  for (const deletion of deletions) {
    const { kind } = await item.store.write([deletion])
    if (kind === 'refused') isComplete = false
  }
  return isComplete ? deletions : undefined
}

/** Erases what the log has of a row, and records that this was done. */
async function eraseLogged(
  { store, actor }: Pick<AccountContext, 'store' | 'actor'>,
  { id, ...row }: ErasedRow & { readonly id: string },
): Promise<void> {
  const { table, identity } = row
  await store.audit.erase(row)
  const at = new Date().toISOString()
  await store.write([{ kind: 'record', event: 'erased', table, identity, id, at }], { actor })
}

/** How stored responses name the item: by its identity, or by its key as a JSON string or in a URI. */
function namesOf({ keyField, path }: ResourceModel, identity: string, id: string): readonly string[] {
  if (!keyField) return [identity]
  // The body is a string within the stored text.
  const inBody = JSON.stringify(JSON.stringify(id)).slice(1, -1)
  return [identity, inBody, `${path}/${encodeURIComponent(id)}`]
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
