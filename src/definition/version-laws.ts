/**
 * Tries the conversions of older versions on the rows of the sample and on example items: the values that they give must
 * be valid, and fields must come back as they were.
 */

import { exampleItems } from './field-example.ts'
import type { InterfaceVersion, Model, ResourceModel } from './model.ts'
import type { Sample } from './sample-rows.ts'
import { ConversionFailure, downMembers, type ItemMembers, upMembers } from './version-conversion.ts'

/** Returns a sentence with an item for each member that is invalid or lost; none where nothing is. */
export function findBrokenLaws(model: Model, sample: Sample = {}): readonly string[] {
  return [...model.versions.values()].flatMap((version) =>
    [...version.resources].flatMap(([name, { place, conversion }]) => {
      const resource = model.resources.get(name)
      if (!resource || !conversion) return []
      const items = [...sampleItems(resource, sample[name] ?? []), ...exampleItems(resource)]
      const found = items.flatMap((item) => tryItem(version, resource, item))
      const firsts = [...Map.groupBy(found, ({ member }) => member).values()].flatMap((all) =>
        all.slice(0, 1),
      )
      return firsts.map(({ text, item }) => `${place}${text}, for ${JSON.stringify(item)}`)
    }),
  )
}

/** The rows as items: an example has what the service adds, and the references. */
function sampleItems(resource: ResourceModel, rows: Sample[string]): readonly ItemMembers[] {
  const [, least] = exampleItems(resource)
  const shown = resource.fields.filter(({ writeOnly, ref, refs }) => !(writeOnly || ref || refs))
  return rows.map((row) => {
    const given = shown.flatMap(({ name }) => (Object.hasOwn(row, name) ? [[name, row[name] ?? null]] : []))
    return { ...least, ...Object.fromEntries(given) }
  })
}

interface Loss {
  /** The member; empty where the code failed. */
  readonly member: string
  /** Follows the place of the code. */
  readonly text: string
  readonly item: ItemMembers
}

function tryItem(version: InterfaceVersion, resource: ResourceModel, item: ItemMembers): readonly Loss[] {
  try {
    const old = downMembers(version, resource, item)
    return [
      ...findInvalidMembers(version, resource, old),
      ...findLostValues(item, upMembers(version, resource, old)),
    ].map((loss) => ({ ...loss, item }))
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    return [{ member: '', text: `: it fails (${reason})`, item }]
  }
}

type FoundLoss = Omit<Loss, 'item'>

function findInvalidMembers(
  version: InterfaceVersion,
  { name: resource }: ResourceModel,
  old: ItemMembers,
): readonly FoundLoss[] {
  const own = version.resources.get(resource)?.own
  const missing = own?.fields.filter(({ name, required }) => required && !Object.hasOwn(old, name)) ?? []
  return [
    ...missing.map(({ name }) => ({ member: name, text: `.down gives no ${name}, which is required` })),
    ...(own?.validate(old) ?? []).map(({ pointer, detail }) => {
      const member = pointer.split('/')[1] ?? ''
      return { member, text: `.down gives ${member} ${JSON.stringify(old[member])}. ${detail}` }
    }),
  ]
}

/** A member that does not come back at all is not lost: writes in the version keep it. */
function findLostValues(item: ItemMembers, returned: ItemMembers): readonly FoundLoss[] {
  return Object.keys(returned).flatMap((member) => {
    const [was, is] = [item[member], returned[member]].map((value) => JSON.stringify(value) ?? 'absent')
    return was === is ? [] : [{ member, text: `: up(down(item)) changes ${member} from ${was} to ${is}` }]
  })
}
