/** Tries the conversions of older versions on random items: both ways must lead back to where they began. */

import type { InterfaceVersion } from './interface-version.ts'
import { type FieldModel, type Model, outputFields, type ResourceModel } from './model.ts'
import { createRandom, randomMembers } from './random-members.ts'
import { downMembers, type ItemMembers, upMembers } from './version-conversion.ts'

const rows = 300

/** Returns a sentence with the item for each conversion that loses something; none where both laws hold. */
export function findBrokenLaws(model: Model): readonly string[] {
  return [...model.versions.values()].flatMap((version) =>
    [...version.resources].flatMap(([name, { conversion }]) => {
      const resource = model.resources.get(name)
      return resource && conversion ? lawsOf(version, resource) : []
    }),
  )
}

function lawsOf(version: InterfaceVersion, resource: ResourceModel): readonly string[] {
  const random = createRandom(2)
  const items = Array.from({ length: rows }, () => randomMembers(outputFields(resource), random))
  const trials = items.map((item) => tryItem(version, resource, item))
  const names = comparedFields(resource).map(({ name }) => name)
  const unknown = names.filter((name) => trials.every(({ returned }) => returned?.[name] === undefined))
  const compared = names.filter((name) => !unknown.includes(name))
  const place = `versions.${version.name}.${resource.name}`
  const found = [
    ...findFailure(trials),
    ...findDifferences(
      'up(down(item)) is not the item',
      trials,
      ({ item, returned }) => [item, returned],
      compared,
    ),
    ...findDifferences('down(up(old)) is not the old item', trials, ({ old, again }) => [old, again]),
  ]
  const lost =
    unknown.length === 0
      ? []
      : [`${place} cannot express ${unknown.join(', ')}. Writes in ${version.name} keep them.`]
  return [...lost, ...found.map((text) => `${place}: ${text}`)]
}

/** Fields that a request can write: others are not in the content. */
function comparedFields({ fields }: ResourceModel): readonly FieldModel[] {
  return fields.filter(({ readOnly, fromPrincipal, writeOnly }) => !readOnly && !fromPrincipal && !writeOnly)
}

/** An item on its way to the older version and back. */
interface Trial {
  readonly item: ItemMembers
  readonly old?: ItemMembers
  readonly returned?: ItemMembers
  readonly again?: ItemMembers
  readonly failure?: unknown
}

function tryItem(version: InterfaceVersion, { name }: ResourceModel, item: ItemMembers): Trial {
  let trial: Trial = { item }
  try {
    const old = downMembers(version, name, item)
    trial = { ...trial, old }
    const returned = upMembers(version, name, old)
    trial = { ...trial, returned }
    const { id, createdAt, updatedAt } = item
    const times = { id: id ?? null, createdAt: createdAt ?? null, updatedAt: updatedAt ?? null }
    return { ...trial, again: downMembers(version, name, { ...times, ...returned }) }
  } catch (failure) {
    return { ...trial, failure }
  }
}

function findFailure(trials: readonly Trial[]): readonly string[] {
  const failed = trials.find(({ failure }) => failure !== undefined)
  if (!failed) return []
  const { failure, item } = failed
  const cause = failure instanceof Error ? (failure.cause ?? failure) : failure
  const reason = cause instanceof Error ? cause.message : String(cause)
  return [`it fails (${reason}) for ${JSON.stringify(item)}`]
}

type Sides = (trial: Trial) => readonly [before: ItemMembers | undefined, after: ItemMembers | undefined]

/** The first item in which each member differs. */
function findDifferences(
  law: string,
  trials: readonly Trial[],
  sides: Sides,
  names: readonly string[] = namesOf(trials, sides),
): readonly string[] {
  return names.flatMap((name) => {
    for (const trial of trials) {
      const [before, after] = sides(trial)
      if (!before || !after) continue
      const [was, is] = [before, after].map((one) => JSON.stringify(one[name]) ?? 'absent')
      if (was !== is) return [`${law}: '${name}' is ${was}, then ${is}, in ${JSON.stringify(before)}`]
    }
    return []
  })
}

function namesOf(trials: readonly Trial[], sides: Sides): readonly string[] {
  return [...new Set(trials.flatMap((trial) => sides(trial).flatMap((one) => Object.keys(one ?? {}))))]
}
