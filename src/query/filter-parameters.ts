/** Filters in a query string: `status=published`, `price[gte]=10`, `author.name=Ada`. */

import type { JsonValue, ResourceModel } from '../declare/model.ts'
import { rememberingTexts } from '../once.ts'
import { type Comparand, filterableNames, type Leaf, mostConditions, readLeaf } from './filter.ts'
import { invalidParameter, type Parameter, unknownIn, unknownParameter } from './parameter.ts'
import type { Attribute, SightOf } from './sight.ts'
import { type Reading, readText, readTruth } from './value.ts'

/** The comparisons, all of which must hold; refuses 400 by the name of the parameter at fault. */
export function parseFilters(
  sightOf: SightOf,
  resource: ResourceModel,
  parameters: readonly Parameter[],
  controls: readonly string[],
): readonly Leaf[] {
  const beyond = parameters[mostConditions]
  if (beyond) throw invalidParameter(beyond[0], `is beyond the ${mostConditions} a list takes`)
  return parameters.map((parameter) => parseFilter(sightOf, resource, parameter, controls))
}

function parseFilter(
  sightOf: SightOf,
  resource: ResourceModel,
  [name, text]: Parameter,
  controls: readonly string[],
): Leaf {
  const parts = partsOf(name)
  if (!parts) throw unknownParameter(name, [...filterableNames(sightOf(resource)), ...controls])
  const [, path = '', operator = 'eq'] = parts
  const comparand = {
    path,
    operator,
    text,
    values: (attribute: Attribute) => readTexts(attribute, operator, text),
  }
  const leaf = readLeaf(sightOf, resource, comparand, controls)
  switch (leaf.kind) {
    case 'leaf':
      return leaf
    case 'unknown-field':
      throw unknownParameter(name, leaf.known, leaf.hint)
    case 'unknown-operator':
      throw unknownIn(name, leaf.detail, undefined)
    case 'invalid':
      throw invalidParameter(name, leaf.reason, hintOfList(sightOf, resource, comparand))
  }
}

/** Several values, each of which could be meant, are what `in` is for. */
function hintOfList(sightOf: SightOf, resource: ResourceModel, comparand: Comparand) {
  const { path, operator, text } = comparand
  if (operator !== 'eq' || !text.includes(',')) return undefined
  const values = (attribute: Attribute) => readTexts(attribute, 'in', text)
  const several = readLeaf(sightOf, resource, { path, operator: 'in', text, values })
  return several.kind === 'leaf'
    ? `For one of several values use '${path}[in]=${text}'.`
    : undefined
}

/** `price[gte]`: a path, and an operator where there is one. */
const partsOf = rememberingTexts((name) => /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name))

function readTexts(
  attribute: Attribute,
  operator: string,
  text: string,
): Reading<readonly JsonValue[]> {
  if (operator === 'missing') return one(readTruth(text))
  if (operator !== 'in') return one(readText(attribute, text))
  const readings = splitValues(text).map((part) => readText(attribute, part))
  const wrong = readings.find((reading) => 'expected' in reading)
  if (wrong) return wrong
  return { value: readings.map((reading) => (reading as { value: JsonValue }).value) }
}

function one(reading: Reading<JsonValue>): Reading<readonly JsonValue[]> {
  return 'expected' in reading ? reading : { value: [reading.value] }
}

/** Values parted by commas; `\,` is a comma within one, `\\` a backslash. */
function splitValues(text: string): readonly string[] {
  const values: string[] = []
  let value = ''
  for (const [part] of text.matchAll(/\\[\\,]|,|[^\\,]+|\\/gu)) {
    if (part === ',') {
      values.push(value)
      value = ''
    } else value += part === '\\,' || part === '\\\\' ? part.slice(1) : part
  }
  return [...values, value]
}

/** The text that `splitValues` takes apart again. */
export function joinValues(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\,]/g, '\\$&')).join()
}
