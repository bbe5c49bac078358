/** Items that show their new secrets, once: in the response that creates them. */

import { rightsOf } from '../../access/rights.ts'
import type { FieldModel, Stored } from '../../definition/model.ts'
import { always, isAlwaysTrue } from '../../store/condition.ts'
import type { ItemView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'

export interface NewSecrets {
  /** By the fields in whose place they are shown. */
  readonly secrets: Readonly<Record<string, Stored>>
  /** The row to be stored. */
  readonly values: readonly Stored[]
}

/** The view of the item with the secrets in place of their stored forms. A dry run shows none: they would never work. */
export async function viewWithSecrets(
  context: RequestContext<CollectionTarget | ItemTarget>,
  { secrets, values }: NewSecrets,
): Promise<ItemView> {
  const { unit, caller, target, isDryRun } = context
  const { resource } = target
  const stored = await unit.store.previewRow(resource.name, values, [])
  const rights = rightsOf(resource, caller)
  const visibility = new Map(rights.visibility)
  let row = stored
  for (const [name, secret] of Object.entries(isDryRun ? {} : secrets)) {
    const field = resource.fieldByName.get(name) as FieldModel
    visibility.set(field, always)
    row = row.with(field.index, secret)
  }
  const visibleFields = createFieldSelector({ ...rights, visibility }, 'item').selectFields(isAlwaysTrue)
  return { kind: 'item', row, visibleFields }
}
