/** Tries `down` and `up` of older versions on example items: the members that they give must be declared. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { exampleItems } from '../field-example.ts'
import {
  type InterfaceVersion,
  type JsonValue,
  outputFields,
  type ResourceModel,
  type ResourceVersion,
} from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import { ConversionFailure, type ItemMembers, runConversion } from '../version-conversion.ts'
import type { CheckContext } from './check-context.ts'
import { systemNames } from './names.ts'

/** Reports code without declared differences, and members that it gives and no declaration has. */
export function checkVersionCode(
  versions: ReadonlyMap<string, InterfaceVersion>,
  { models, faults }: Pick<CheckContext, 'models' | 'faults'>,
): void {
  for (const { resources } of versions.values()) {
    for (const [name, shape] of resources) {
      const resource = models.get(name)
      if (resource && shape.conversion) checkShape(shape, resource, prefixReport(shape.place, faults.at()))
    }
  }
}

/** An example in both shapes; the older one may lack members that both have. */
interface Trial {
  readonly item: ItemMembers
  readonly old: ItemMembers
}

function checkShape(shape: ResourceVersion, resource: ResourceModel, report: FaultReport): void {
  const { own, oldNames, presentNames } = shape
  const trials = exampleItems(resource).flatMap((item): Trial[] =>
    tryCode(shape, 'down', item).map((old) => ({ item, old })),
  )
  const present = outputFields(resource).map(({ name }) => name)
  if (own.fields.length === 0 && present.every((name) => oldNames.has(name))) {
    report("It has code, and neither 'fields' nor 'without'.", suggestDifferences(shape, trials))
    return
  }
  // Code may pass on the members that it gets.
  const known = new Set([...systemNames, ...present, ...presentNames.keys(), ...own.fieldByName.keys()])
  const down = trials.map(({ old }) => old)
  for (const name of namesOf(down).filter((one) => !known.has(one))) {
    known.add(name)
    report(
      `'down' gives '${name}', which is no field and not in 'fields'.`,
      didYouMean(name, own.fieldByName.keys()) ?? `Add it to fields: { ${formatField(name, down)} }.`,
    )
  }
  const up = trials.flatMap(({ item, old }) => tryCode(shape, 'up', { ...item, ...old }))
  for (const name of namesOf(up).filter((one) => !known.has(one))) {
    report(`'up' gives '${name}', which is no field.`, didYouMean(name, present) ?? 'Leave it out.')
  }
}

/** Returns the result of the code; none where it fails, which an example may cause. `restwell check` reports it. */
function tryCode(
  shape: ResourceVersion,
  direction: 'down' | 'up',
  members: ItemMembers,
): readonly ItemMembers[] {
  try {
    return [runConversion(shape, direction, members)]
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error
    return []
  }
}

/** The declaration to paste: members that the code makes or changes, and fields that it never shows. */
function suggestDifferences({ oldNames, presentNames }: ResourceVersion, trials: readonly Trial[]): string {
  const old = trials.map((trial) => trial.old)
  const given = namesOf(old)
  const isPassedOn = (name: string) =>
    trials.every(({ item, old }) => {
      return JSON.stringify(item[presentNames.get(name) ?? name]) === JSON.stringify(old[name])
    })
  const fields = given.filter((name) => !systemNames.includes(name) && !isPassedOn(name))
  const without = namesOf(trials.map(({ item }) => item)).filter(
    (name) =>
      !systemNames.includes(name) && !given.includes(name) && !given.includes(oldNames.get(name) ?? ''),
  )
  if (fields.length + without.length === 0) {
    return "Declare in 'fields' the members that the version makes or changes, and in 'without' those it lacks."
  }
  const declared = fields.map((name) => formatField(name, old)).join(', ')
  const missing = without.map((name) => `'${name}'`).join(', ')
  return `Declare them, such as: fields: { ${declared} }, without: [${missing}].`
}

function namesOf(items: readonly ItemMembers[]): readonly string[] {
  return [...new Set(items.flatMap((item) => Object.keys(item)))]
}

/** A declaration that fits the values of the examples. */
function formatField(name: string, items: readonly ItemMembers[]): string {
  const values = items.map((item) => item[name] ?? null)
  const present = values.filter((value) => value !== null)
  const [kind = 'json'] = Object.entries(kindTests).find(([, fits]) => present.every(fits)) ?? []
  return `${name}: ${kind}()${present.length < values.length ? '.optional()' : ''}`
}

const kindTests: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  date: (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
  text: (value) => typeof value === 'string',
}
