/** Loads the items that refer to an item: the first few, with a link to all of them. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { type FieldModel, IDENTITY, type ResourceModel } from '../../definition/model.ts'
import { formatQueryString } from '../../http/query-string.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { all, type Condition, equals, onReferenced } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { isListable } from '../../views/form-input.ts'
import { collectionUri, idOf, itemUri } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import { loadTitles } from './item-titles.ts'
import type { ReferringItems } from './page-layout.ts'

const maxShown = 5

/** The visible items that refer to this one, for each reference field that the caller may filter by. */
export async function loadReferringItems(
  context: Pick<Unit, 'model' | 'store' | 'limits'>,
  caller: Principal,
  { row, visibleFields }: ItemView,
): Promise<readonly ReferringItems[]> {
  const { resource: to } = visibleFields
  const lists = await Promise.all(
    to.referencedBy
      // The page shows sub-collections as lists of their own.
      .filter(({ resource, field }) => !field.ref?.inverse && isListableBy(caller, resource, field))
      .map(({ resource, field }) => loadFirst(context, caller, { resource, field, row, to })),
  )
  return lists.filter(({ items }) => items.length > 0)
}

function isListableBy(caller: Principal, resource: ResourceModel, field: FieldModel): boolean {
  if (!isListable(resource, caller) || !resource.itemMethods.has('GET')) return false
  return field.filterable && rightsOf(resource, caller).visibility.get(field)?.kind === 'always'
}

function refersTo({ name, refs }: FieldModel, identity: string): Condition {
  return refs ? onReferenced(name, equals(['_identity'], identity)) : equals([name], identity)
}

interface Reference {
  readonly resource: ResourceModel
  readonly field: FieldModel
  /** The item referred to, and its resource. */
  readonly row: Row
  readonly to: ResourceModel
}

async function loadFirst(
  { model, store, limits }: Pick<Unit, 'model' | 'store' | 'limits'>,
  caller: Principal,
  { resource, field, row, to }: Reference,
): Promise<ReferringItems> {
  const { read } = rightsOf(resource, caller)
  const rows = await store.list({
    table: resource.name,
    condition: all([refersTo(field, String(row[IDENTITY])), read]),
    order: [{ column: '_identity', descending: true }],
    after: undefined,
    limit: maxShown,
    evaluated: [],
  })
  const titles = await loadTitles({ store, limits }, caller, resource, rows)
  const query = formatQueryString([[field.refs ? `${field.name}[has]` : field.name, idOf(to, row)]])
  return {
    resource,
    name: field.name,
    items: rows.map((item, at) => ({
      title: titles[at] || idOf(resource, item),
      uri: itemUri(model, resource, item),
    })),
    uri: `${collectionUri(model, resource)}?${query}`,
  }
}
