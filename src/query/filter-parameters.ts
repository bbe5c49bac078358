/** Filters in a query string: `status=published`, `price[gte]=10`, `author.name=Ada`. */

import type { JsonValue, ResourceModel } from '../definition/model.ts'
import { memoizeByText } from '../tools/memoize.ts'
import { parseBoolean, parseText, type ValueResult } from './comparison-value.ts'
import {
  type Comparand,
  type FilterLeaf,
  filterableNames,
  maxConditions,
  parseLeaf,
} from './filter.ts'
import {
  invalidParameter,
  type QueryParameter,
  unknownName,
  unknownParameter,
} from './query-parameter.ts'
import type { Attribute, QueryableFieldsOf } from './queryable-fields.ts'

/** The comparisons, all of which must hold; refuses 400 by the name of the parameter at fault. */
export function parseFilters(
  queryableFields: QueryableFieldsOf,
  resource: ResourceModel,
  parameters: readonly QueryParameter[],
  controls: readonly string[],
): readonly FilterLeaf[] {
  const beyond = parameters[maxConditions]
  if (beyond) throw invalidParameter(beyond[0], `is beyond the ${maxConditions} a list takes`)
  return parameters.map((parameter) => parseFilter(queryableFields, resource, parameter, controls))
}

function parseFilter(
  queryableFields: QueryableFieldsOf,
  resource: ResourceModel,
  [name, text]: QueryParameter,
  controls: readonly string[],
): FilterLeaf {
  const parts = splitName(name)
  if (!parts)
    throw unknownParameter(name, [...filterableNames(queryableFields(resource)), ...controls])
  const [, path = '', operator = 'eq'] = parts
  const comparand = {
    path,
    operator,
    text,
    values: (attribute: Attribute) => parseTexts(attribute, operator, text),
  }
  const leaf = parseLeaf(queryableFields, resource, comparand, controls)
  switch (leaf.kind) {
    case 'leaf':
      return leaf
    case 'unknown-field':
      throw unknownParameter(name, leaf.known, leaf.hint)
    case 'unknown-operator':
      throw unknownName(name, leaf.detail, undefined)
    case 'invalid':
      throw invalidParameter(name, leaf.reason, suggestIn(queryableFields, resource, comparand))
  }
}

/** Several values, each of which could be meant, are what `in` is for. */
function suggestIn(
  queryableFields: QueryableFieldsOf,
  resource: ResourceModel,
  comparand: Comparand,
) {
  const { path, operator, text } = comparand
  if (operator !== 'eq' || !text.includes(',')) return undefined
  const values = (attribute: Attribute) => parseTexts(attribute, 'in', text)
  const several = parseLeaf(queryableFields, resource, { path, operator: 'in', text, values })
  return several.kind === 'leaf'
    ? `For one of several values use '${path}[in]=${text}'.`
    : undefined
}

/** `price[gte]`: a path, and an operator where there is one. */
const splitName = memoizeByText((name) => /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name))

function parseTexts(
  attribute: Attribute,
  operator: string,
  text: string,
): ValueResult<readonly JsonValue[]> {
  if (operator === 'missing') return asList(parseBoolean(text))
  if (operator !== 'in') return asList(parseText(attribute, text))
  const readings = splitValues(text).map((part) => parseText(attribute, part))
  const wrong = readings.find((reading) => 'expected' in reading)
  if (wrong) return wrong
  return { value: readings.map((reading) => (reading as { value: JsonValue }).value) }
}

function asList(reading: ValueResult<JsonValue>): ValueResult<readonly JsonValue[]> {
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
