/** Checks the sample rows that a definition file exports. */

import type { FieldModel, JsonValue, Model, ResourceModel } from './model.ts'
import { didYouMean } from './name-suggestion.ts'
import { formatValue } from './option-table.ts'

/** By collection. A reference is the index of a row in the sample of its collection; a set is a list of them. */
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
  const references = resource.fields.filter(({ ref, refs }) => ref ?? refs)
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
function isMissing({ name, kind, state, required, default: preset }: FieldModel, row: object): boolean {
  if (!required || kind.isHashed || state || preset !== undefined) return false
  return !Object.hasOwn(row, name)
}

function referenceFaults(
  { name, ref, refs }: FieldModel,
  value: unknown,
  { sample, place }: { readonly sample: SampleContext['sample']; readonly place: string },
): readonly string[] {
  const target = (ref ?? refs)?.resource.name
  if (value === undefined || target === undefined) return []
  const rows = sample[target]
  const count = Array.isArray(rows) ? rows.length : 0
  const isIndex = (one: unknown) => Number.isInteger(one) && Number(one) >= 0 && Number(one) < count
  if (refs ? isSetOf(isIndex, value, refs.max) : isIndex(value)) return []
  if (count === 0) return [`${place}.${name}: sample.${target} has no rows to refer to. Add them.`]
  const expected = refs ? `a list of at most ${refs.max} different indexes of rows` : 'the index of a row'
  return [
    `${place}.${name}: Must be ${expected} in sample.${target}, from 0 to ${count - 1}, not ${formatValue(value)}.`,
  ]
}

function isSetOf(isIndex: (one: unknown) => boolean, value: unknown, max: number): boolean {
  return (
    Array.isArray(value) &&
    value.length <= max &&
    new Set(value).size === value.length &&
    value.every(isIndex)
  )
}

function joinSentences(reason: string, suggestion: string | undefined): string {
  return suggestion === undefined ? reason : `${reason} ${suggestion}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
