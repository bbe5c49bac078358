/** Checks the sample rows that a definition file exports. */

import type { FieldModel, JsonValue, Model, ResourceModel } from './model.ts'
import { didYouMean } from './name-suggestion.ts'
import { formatValue } from './option-table.ts'

/** By collection. A reference is the index of a row in the sample of its collection. */
export type Sample = Readonly<Record<string, readonly Readonly<Record<string, JsonValue>>[]>>

/** Returns a sentence with the place of each fault; none for a valid sample. */
export function findSampleFaults(model: Model, sample: unknown): readonly string[] {
  if (!isObject(sample)) return [`sample must be an object, not ${formatValue(sample)}.`]
  return Object.entries(sample).flatMap(([name, rows]) => {
    const place = `sample.${name}`
    const resource = model.resources.get(name)
    if (!resource) {
      return [
        joinSentences(`${place}: Unknown resource '${name}'.`, didYouMean(name, model.resources.keys())),
      ]
    }
    if (!Array.isArray(rows)) return [`${place} must be a list of rows, not ${formatValue(rows)}.`]
    return rows.flatMap((row, at) => rowFaults({ resource, sample }, row, `${place}[${at}]`))
  })
}

interface SampleContext {
  readonly resource: ResourceModel
  readonly sample: Readonly<Record<string, unknown>>
}

function rowFaults({ resource, sample }: SampleContext, row: unknown, place: string): readonly string[] {
  if (!isObject(row)) return [`${place} must be an object, not ${formatValue(row)}.`]
  const unknown = Object.keys(row).filter((name) => !resource.fieldByName.has(name))
  const references = resource.fields.filter(({ ref }) => ref)
  const values = Object.entries(row).filter(
    ([name]) => !references.some((reference) => reference.name === name),
  )
  return [
    ...unknown.map((name) =>
      joinSentences(`${place}: Unknown field '${name}'.`, didYouMean(name, resource.fieldByName.keys())),
    ),
    ...resource.fields
      .filter((field) => isMissing(field, row))
      .map(({ name }) => `${place}.${name}: Required.`),
    ...resource
      .validate(Object.fromEntries(values))
      .map(({ pointer, detail }) => `${place}${pointer.replaceAll('/', '.')}: ${detail}`),
    ...references.flatMap((field) => referenceFaults(field, row[field.name], { sample, place })),
  ]
}

/** A missing password is generated, and a state begins at its initial value. */
function isMissing({ name, kind, required, default: preset }: FieldModel, row: object): boolean {
  if (!required || kind === 'password' || kind === 'state' || preset !== undefined) return false
  return !Object.hasOwn(row, name)
}

function referenceFaults(
  { name, ref }: FieldModel,
  value: unknown,
  { sample, place }: { readonly sample: SampleContext['sample']; readonly place: string },
): readonly string[] {
  if (value === undefined || !ref) return []
  const target = ref.resource.name
  const rows = sample[target]
  const count = Array.isArray(rows) ? rows.length : 0
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < count) return []
  return [
    `${place}.${name}: Must be the index of a row in sample.${target}, from 0 to ${count - 1}, not ${formatValue(value)}.`,
  ]
}

function joinSentences(reason: string, suggestion: string | undefined): string {
  return suggestion === undefined ? reason : `${reason} ${suggestion}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
