/** Loads the titles of the items that others refer to, with one store query for each reference field. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { FieldModel } from '../definition/model.ts'
import { all } from '../store/condition.ts'
import { positionOf, rowTextOf } from '../store/sql/row-text-sql.ts'
import { findTitleField } from '../view/item-title.ts'
import type { ItemView } from '../view/view.ts'

/** Titles by identity, of items that the caller may read and whose title field the caller always sees. */
export async function loadItemTitles(
  context: Pick<ServiceContext, 'store' | 'limits'>,
  caller: Principal,
  items: readonly ItemView[],
): Promise<ReadonlyMap<string, string>> {
  const [first] = items
  if (!first) return new Map()
  const fields = first.shape.resource.fields.filter((field) => field.ref)
  const found = await Promise.all(fields.map((field) => loadTitlesOfField(context, caller, items, field)))
  return new Map(found.flat())
}

async function loadTitlesOfField(
  { store, limits }: Pick<ServiceContext, 'store' | 'limits'>,
  caller: Principal,
  items: readonly ItemView[],
  field: FieldModel,
): Promise<readonly (readonly [string, string])[]> {
  const target = field.ref?.resource
  const title = target && findTitleField(target)
  const identities = identitiesIn(items, field)
  if (!target || !title || identities.length === 0) return []
  const { read, visibility } = rightsOf(target, caller)
  if (read.kind === 'never' || visibility.get(title)?.kind !== 'always') return []
  const among = {
    kind: 'compare',
    path: ['_identity'],
    operator: 'in',
    values: identities,
  } as const
  const rows = await store.list({
    table: target.name,
    condition: all([among, read]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: identities.length,
    octets: limits.page,
    evaluate: [],
    text: { members: [{ before: '', at: title.index, form: 'plain' }], end: '' },
  })
  return rows
    .filter((row) => rowTextOf(row) !== '')
    .map((row) => [String(positionOf(row)[0]), shortenTitle(rowTextOf(row))])
}

const maxTitleLength = 80

/** The title, cut at the longest length that a page shows. */
export function shortenTitle(title: string): string {
  return title.length <= maxTitleLength ? title : `${title.slice(0, maxTitleLength - 1).toWellFormed()}…`
}

function identitiesIn(items: readonly ItemView[], field: FieldModel): readonly string[] {
  const identities = new Set<string>()
  for (const { row, shape } of items) {
    const identity = row[field.index]
    if (typeof identity === 'string' && shape.fields.includes(field)) identities.add(identity)
  }
  return [...identities]
}
