/** Since which position of the change log each `after` hook runs: not for changes from before it was declared. */

import { IDENTITY, type Model, type ResourceModel, VERSION } from '../../../definition/model.ts'
import { always, compares } from '../../../store/condition.ts'
import type { Row } from '../../../store/row.ts'
import { readField } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import { listRows } from '../../../store/table-rows.ts'
import { loadCursor, moveCursorWrite } from '../../../work/log-cursor.ts'
import { placeOf } from './run-after-hook.ts'

export interface RegistrationContext {
  readonly model: Model
  readonly store: Store
  /** The table of cursors: it has a row for each hook. */
  readonly cursors: ResourceModel
  readonly now: () => number
}

/**
 * The positions by place of the hook. A hook that has none yet gets that of the last entry. Positions of
 * hooks that are not declared any more are deleted, so that a hook that is declared again begins anew.
 */
export async function registerHooks(context: RegistrationContext): Promise<ReadonlyMap<string, number>> {
  const places = [...context.model.resources.values()].flatMap(({ name: table, logic }) =>
    Object.keys(logic?.after ?? {}).map((kind) => placeOf({ table, kind })),
  )
  await forgetOthers(context, places)
  const since = new Map<string, number>()
  for (const place of places) since.set(place, await registerHook(context, place))
  return since
}

async function registerHook({ store, cursors, now }: RegistrationContext, place: string): Promise<number> {
  const known = await loadCursor(store, cursors, place)
  if (known.row) return known.position
  const position = (await store.lastPosition()) ?? (await store.logExtent()).last
  const at = new Date(now()).toISOString()
  // Refused where another node has registered it since.
  await store.write([moveCursorWrite(cursors, place, known, { position, now: at })])
  return (await loadCursor(store, cursors, place)).position
}

/** No definition has as many hooks. */
const maxRows = 1000

async function forgetOthers({ store, cursors, now }: RegistrationContext, places: readonly string[]) {
  const rows = await listRows(store, cursors, {
    condition: compares(['consumer'], 'contains', '.after.'),
    limit: maxRows,
  })
  const at = new Date(now()).toISOString()
  const isDeclared = (row: Row) => places.includes(String(readField(cursors, row, 'consumer')))
  for (const row of rows.filter((one) => !isDeclared(one))) {
    const expected = { identity: String(row[IDENTITY]), version: Number(row[VERSION]) }
    await store.write([{ kind: 'delete', table: cursors.name, ...expected, conditionBefore: always, at }])
  }
}
