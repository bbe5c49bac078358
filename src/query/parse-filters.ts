/** Filters in a query string: `status=published`, `price[gte]=10`, `author.name=Ada`. */

import type { Reading } from '../definition/field-kind.ts'
import type { JsonValue } from '../definition/model.ts'
import { memoizeByText } from '../tools/memoize.ts'
import { parseBoolean, parseText } from './comparison.ts'
import { type FilterLeaf, maxConditions, parseLeaf, type WrittenComparison } from './filter.ts'
import { comparableNames } from './path.ts'
import { invalidParameter, type QueryParameter, unknownName, unknownParameter } from './query-parameter.ts'
import type { QueryableFields, ValueAttribute } from './queryable-fields.ts'

/** Parses the comparisons, which must all hold; refuses 400 with the name of the parameter. */
export function parseFilters(
  queryable: QueryableFields,
  parameters: readonly QueryParameter[],
  controls: readonly string[],
): readonly FilterLeaf[] {
  const excess = parameters[maxConditions]
  if (excess) throw invalidParameter(excess[0], `exceeds the limit of ${maxConditions} filters`)
  return parameters.map((parameter) => parseFilter(queryable, parameter, controls))
}

function parseFilter(
  queryable: QueryableFields,
  [name, text]: QueryParameter,
  controls: readonly string[],
): FilterLeaf {
  const parts = splitName(name)
  if (!parts) throw unknownParameter(name, [...comparableNames(queryable), ...controls])
  const [, path = '', operator = 'eq'] = parts
  const comparand = {
    path,
    operator,
    text,
    values: (attribute: ValueAttribute) => parseTexts(attribute, operator, text),
  }
  const leaf = parseLeaf(queryable, comparand, controls)
  switch (leaf.kind) {
    case 'leaf':
      return leaf
    case 'unknown-field':
      throw unknownParameter(name, leaf.known, leaf.hint)
    case 'unknown-operator':
      throw unknownName(name, leaf.detail, undefined)
    case 'invalid':
      throw invalidParameter(name, leaf.reason, suggestIn(queryable, comparand))
  }
}

/** Suggests `in` for several valid values joined by commas. */
function suggestIn(queryable: QueryableFields, { path, operator, text }: WrittenComparison) {
  if (operator !== 'eq' || !text.includes(',')) return undefined
  const values = (attribute: ValueAttribute) => parseTexts(attribute, 'in', text)
  const several = parseLeaf(queryable, { path, operator: 'in', text, values })
  return several.kind === 'leaf' ? `To match one of several values, use '${path}[in]=${text}'.` : undefined
}

/** Splits `price[gte]` into a path and an optional operator. */
const splitName = memoizeByText((name) => /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(name))

function parseTexts(
  attribute: ValueAttribute,
  operator: string,
  text: string,
): Reading<readonly JsonValue[]> {
  if (operator === 'missing') return asList(parseBoolean(text))
  if (operator !== 'in') return asList(parseText(attribute, text))
  const readings = splitValues(text).map((part) => parseText(attribute, part))
  const invalid = readings.find((reading) => 'expected' in reading)
  if (invalid) return invalid
  return { value: readings.map((reading) => (reading as { value: JsonValue }).value) }
}

function asList(reading: Reading<JsonValue>): Reading<readonly JsonValue[]> {
  return 'expected' in reading ? reading : { value: [reading.value] }
}

/** Splits values at commas; `\,` is a comma in a value, `\\` a backslash. */
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

/** Joins values to a text that `splitValues` splits again. */
export function joinValues(values: readonly string[]): string {
  return values.map((value) => value.replace(/[\\,]/g, '\\$&')).join()
}
