/**
 * Links from items to the elements of their sets of references that the caller may read. They are
 * loaded with one query for each set and page; sets whose elements every caller may read need none.
 */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import type { Link } from '../../http/link.ts'
import { all, isOneOf } from '../../store/condition.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { extensionRelation } from '../../views/link-relation.ts'
import { elementIdentitiesOf, elementIdsOf } from '../../views/set-element-ids.ts'
import { referenceUri } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import { isRowDependent } from '../../views/visible-fields.ts'
import type { Unit } from '../context/service-context.ts'

/** The items with links to the elements of their sets; unchanged when they show no links. */
export async function withElementLinks(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  caller: Principal,
  items: readonly ItemView[],
): Promise<readonly ItemView[]> {
  const [first] = items
  const fields = first ? linkedSetsOf(first.visibleFields.resource) : []
  if (fields.length === 0 || !first?.hypermedia) return items
  const readable = new Map<FieldModel, IsReadable>()
  for (const field of fields) readable.set(field, await loadReadable(store, caller, field, items))
  return items.map((item) => {
    if (!item.hypermedia) return item
    const members = fields.flatMap((field) =>
      elementIdsOf(item, field)
        .filter(readable.get(field) ?? isNever)
        .map((id) => elementLink(referenceUri(model, targetOf(field), id), field)),
    )
    return { ...item, hypermedia: { ...item.hypermedia, links: [...item.hypermedia.links, ...members] } }
  })
}

type IsReadable = (id: string) => boolean

const isNever: IsReadable = () => false

/** The sets of references to collections whose items can be read. */
const linkedSetsOf = memoizeByObject(({ fields }: ResourceModel) =>
  fields.filter(({ refs }) => refs?.resource.itemMethods.has('GET')),
)

function targetOf({ refs }: FieldModel): ResourceModel {
  // Callers pass only sets of references.
  return refs?.resource as ResourceModel
}

/** HAL shows an array for the relation, even if the set has one element. */
function elementLink(target: string, { name }: FieldModel): Link {
  return { target, rel: extensionRelation(name), several: 'true' }
}

async function loadReadable(
  store: Unit['store'],
  caller: Principal,
  field: FieldModel,
  items: readonly ItemView[],
): Promise<IsReadable> {
  const resource = targetOf(field)
  const { read } = rightsOf(resource, caller)
  if (!isRowDependent(read)) return () => read.kind === 'always'
  const values = elementIdentitiesOf(items, field)
  if (values.length === 0) return isNever
  const rows = await store.list({
    table: resource.name,
    condition: all([isOneOf(['_identity'], values), read]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: values.length,
    evaluated: [],
    columns: [resource.keyField?.name ?? '_identity'],
  })
  const ids = new Set(rows.map(([id]) => String(id)))
  return (id) => ids.has(id)
}
