/** What refers to an item, as far as the caller may see it: the first few, and the way to all. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { type FieldModel, IDENTITY, type ResourceModel } from '../../declare/model.ts'
import { formatQueryString } from '../../http/query-string.ts'
import { all, equals } from '../../store/condition.ts'
import type { Row } from '../../store/store.ts'
import type { Referring } from '../../view/frame.ts'
import { isListed } from '../../view/input.ts'
import { titleField } from '../../view/title.ts'
import { collectionUri, idOf, itemUri } from '../../view/uri.ts'
import type { ItemView } from '../../view/view.ts'
import type { Context } from '../context.ts'
import { excerptOf } from './titles.ts'

const mostShown = 5

export async function referringTo(
  context: Pick<Context, 'model' | 'store'>,
  who: Principal,
  { row, shape }: ItemView,
): Promise<readonly Referring[]> {
  const { resource: to } = shape
  const lists = await Promise.all(
    to.referencedBy
      .filter(({ resource, field }) => isAskable(who, resource, field))
      .map(({ resource, field }) => firstOf(context, who, { resource, field, row, to })),
  )
  return lists.filter(({ items }) => items.length > 0)
}

function isAskable(who: Principal, resource: ResourceModel, field: FieldModel): boolean {
  if (!isListed(resource, who) || !resource.itemMethods.has('GET')) return false
  return field.filterable && rightsOf(resource, who).sight.get(field)?.kind === 'always'
}

interface Reference {
  readonly resource: ResourceModel
  readonly field: FieldModel
  /** The item referred to, and of which resource it is. */
  readonly row: Row
  readonly to: ResourceModel
}

async function firstOf(
  { model, store }: Pick<Context, 'model' | 'store'>,
  who: Principal,
  { resource, field, row, to }: Reference,
): Promise<Referring> {
  const { read, sight } = rightsOf(resource, who)
  const rows = await store.list({
    table: resource.name,
    condition: all([equals([field.name], String(row[IDENTITY])), read]),
    order: [{ column: '_identity', descending: true }],
    after: undefined,
    limit: mostShown,
    asks: [],
  })
  const title = titleField(resource)
  const seen = title && sight.get(title)?.kind === 'always' ? title : undefined
  const query = formatQueryString([[field.name, idOf(to, row)]])
  return {
    resource,
    name: field.name,
    items: rows.map((one) => ({
      title: excerptOf(String((seen && one[seen.at]) ?? idOf(resource, one))),
      uri: itemUri(model, resource, one),
    })),
    uri: `${collectionUri(model, resource)}?${query}`,
  }
}
