/** Items that show their new secret, once: in the response that creates it. */

import { rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import type { FieldModel, Stored } from '../definition/model.ts'
import { withPageLayout } from '../page-layout/load-page-layout.ts'
import { always, isAlwaysTrue } from '../store/condition.ts'
import type { View } from '../view/view.ts'
import { createFieldSelector } from '../view/visible-fields.ts'

export interface NewSecret {
  /** The field in whose place the secret is shown. */
  readonly field: string
  readonly secret: string
  /** The row to be stored. */
  readonly values: readonly Stored[]
}

/** The view of the item with the secret in place of its stored form. */
export async function viewWithSecret(
  context: RequestContext<CollectionTarget | ItemTarget>,
  { field: name, secret, values }: NewSecret,
): Promise<View> {
  const { service, caller, target } = context
  const { resource } = target
  const field = resource.fieldByName.get(name) as FieldModel
  const row = await service.store.previewRow(resource.name, values, [])
  const rights = rightsOf(resource, caller)
  const visibility = new Map(rights.visibility).set(field, always)
  const visibleFields = createFieldSelector({ ...rights, visibility }, 'item').selectFields(isAlwaysTrue)
  return withPageLayout(context, { kind: 'item', row: row.with(field.index, secret), visibleFields })
}
