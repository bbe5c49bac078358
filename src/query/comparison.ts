/** Operators by the kind of what they compare, and a comparison as a condition on a record. */

import type { FieldModel, JsonValue } from '../definition/model.ts'
import {
  all,
  any,
  type Condition,
  equals,
  never,
  not,
  type Operator,
  through,
} from '../store/condition.ts'
import {
  parseDecimal,
  parseId,
  parseValue,
  type StoredValue,
  type ValueResult,
} from './comparison-value.ts'
import type { Attribute } from './queryable-fields.ts'

const orderOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in'] as const
const textOperators = [...orderOperators, 'contains', 'starts'] as const

/** All operators, as their names stand in queries. */
export const operatorNames: readonly Operator[] = [...textOperators, 'has', 'missing']

export function operatorsOf({ kind }: Attribute): readonly Operator[] {
  switch (kind) {
    case 'text':
    case 'email':
    case 'url':
      return [...textOperators, 'missing']
    case 'boolean':
      return ['eq', 'ne', 'missing']
    case 'ref':
      return ['eq', 'ne', 'in', 'missing']
    case 'list':
      return ['has', 'missing']
    default:
      return [...orderOperators, 'missing']
  }
}

/** How many values an `in` takes. */
export const maxInValues = 100

/** The comparison with values of one JSON type; what they are compared with must be `in` for many. */
export function createComparison(
  attribute: Attribute,
  operator: Operator,
  values: readonly JsonValue[],
): ValueResult<Condition> {
  const [only] = values
  if (only !== undefined && values.length === 1 && operator !== 'in') {
    return compareOne(attribute, operator, only)
  }
  const each = values.map((value) => compareOne(attribute, operator, value))
  const wrong = each.find((one) => 'expected' in one)
  if (wrong) return wrong
  const conditions = each.map((one) => (one as { value: Condition }).value)
  return { value: operator === 'in' ? joinAlternatives(conditions) : all(conditions) }
}

function compareOne(
  attribute: Attribute,
  operator: Operator,
  value: JsonValue,
): ValueResult<Condition> {
  const { field, column } = attribute
  const own = operator === 'in' ? 'eq' : operator
  if (field?.ref) return compareReference(field, own, value)
  if (attribute.isId || field === undefined) {
    return mapValue(parseId(field, value), (id) => compareId(column, own, id))
  }
  if (field.kind === 'decimal') return compareDecimal(field, own, value)
  const item = own === 'has' ? field.item : undefined
  if (item) return mapValue(parseListItem(item, value), (stored) => comparison(column, own, stored))
  return mapValue(parseValue(field, value), (stored) => comparison(column, own, stored))
}

function mapValue<T>(
  reading: ValueResult<T>,
  make: (value: T) => Condition,
): ValueResult<Condition> {
  return 'expected' in reading ? reading : { value: make(reading.value) }
}

function comparison(column: string, operator: Operator, value: StoredValue): Condition {
  return { kind: 'compare', path: [column], operator, values: [value] }
}

/** True of what is there: `ne` with a value that no record can have. */
export function presentCondition(column: string): Condition {
  return not({ kind: 'compare', path: [column], operator: 'missing', values: [] })
}

function compareId(column: string, operator: Operator, id: StoredValue | undefined): Condition {
  if (id !== undefined) return comparison(column, operator, id)
  return operator === 'ne' ? presentCondition(column) : never
}

/** By the id that representations show: the identity it holds, or the key of what it names. */
function compareReference(
  { name, ref }: FieldModel,
  operator: Operator,
  value: JsonValue,
): ValueResult<Condition> {
  const key = ref?.resource.key
  return mapValue(parseId(key, value), (id) => {
    if (key === undefined || id === undefined) return compareId(name, operator, id)
    return through(name, comparison(key.name, operator, id))
  })
}

/** More fraction digits than the field has are compared exactly, between two values it can have. */
function compareDecimal(
  { name, scale = 0 }: FieldModel,
  operator: Operator,
  value: JsonValue,
): ValueResult<Condition> {
  return mapValue(parseDecimal(scale, value), ({ floor, exact }) => {
    if (exact) return comparison(name, operator, floor)
    switch (operator) {
      case 'eq':
        return never
      case 'ne':
        return presentCondition(name)
      case 'gt':
      case 'gte':
        return comparison(name, 'gt', floor)
      default:
        return comparison(name, 'lte', floor)
    }
  })
}

/** An element as the JSON text of a list has it; booleans come out of it as 0 and 1. */
function parseListItem(item: FieldModel, value: JsonValue): ValueResult<StoredValue> {
  if (item.kind === 'decimal') {
    const reading = parseDecimal(item.scale ?? 0, value)
    if ('expected' in reading) return reading
    const { floor, exact } = reading.value
    // No element is the empty text: what has too many digits is in no list.
    return { value: exact ? String(item.decode(floor)) : '' }
  }
  const reading = parseValue(item, value)
  if ('expected' in reading || item.kind === 'boolean') return reading
  return { value: item.decode(reading.value) as StoredValue }
}

/** Many values of one column become one comparison, and one text of SQL. */
function joinAlternatives(conditions: readonly Condition[]): Condition {
  const values: StoredValue[] = []
  let column: string | undefined
  for (const condition of conditions) {
    if (condition.kind === 'never') continue
    const [name] = condition.kind === 'compare' && condition.operator === 'eq' ? condition.path : []
    if (condition.kind !== 'compare' || name === undefined) return any(conditions)
    column = name
    values.push(...condition.values)
  }
  if (column === undefined) return never
  const [only] = values
  if (values.length === 1 && only !== undefined) return equals([column], only)
  return { kind: 'compare', path: [column], operator: 'in', values }
}
