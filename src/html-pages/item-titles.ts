/** Loads the titles of the items that others refer to, with one store query for each reference. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { FieldModel, ResourceModel } from '../definition/model.ts'
import { all } from '../store/condition.ts'
import { positionOf, rowTextOf } from '../store/sql/row-text-sql.ts'
import { findTitleField } from '../view/item-title.ts'
import type { ItemView } from '../view/view.ts'

/** Items that a page refers to by identity. */
export interface ReferencedItems {
  readonly target: ResourceModel
  readonly identities: readonly string[]
}

/** Titles by identity, of items that the caller may read and whose title field the caller always sees. */
export async function loadItemTitles(
  context: Pick<ServiceContext, 'store' | 'limits'>,
  caller: Principal,
  references: readonly ReferencedItems[],
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(references.map((referenced) => loadTitlesOf(context, caller, referenced)))
  return new Map(found.flat())
}

/** The items that the references of these items, which are of one resource, lead to. */
export function referencesIn(items: readonly ItemView[]): readonly ReferencedItems[] {
  const fields = items[0]?.shape.resource.fields ?? []
  return fields.flatMap((field) =>
    field.ref ? [{ target: field.ref.resource, identities: identitiesIn(items, field) }] : [],
  )
}

async function loadTitlesOf(
  { store, limits }: Pick<ServiceContext, 'store' | 'limits'>,
  caller: Principal,
  { target, identities }: ReferencedItems,
): Promise<readonly (readonly [string, string])[]> {
  const title = findTitleField(target)
  if (!title || identities.length === 0) return []
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
