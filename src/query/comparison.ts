/** Filter operators by kind, and comparisons as conditions for the store. */

import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import {
  all,
  any,
  type Condition,
  equals,
  never,
  not,
  type Operator,
  onReferenced,
} from '../store/condition.ts'
import {
  parseComparedId,
  parseDecimal,
  parseValue,
  type StoredValue,
  type ValueResult,
} from './comparison-value.ts'
import type { ValueAttribute } from './queryable-fields.ts'

const orderOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in'] as const
const textOperators = [...orderOperators, 'contains', 'starts'] as const

/** The names of all operators. */
export const operatorNames: readonly Operator[] = [...textOperators, 'has', 'missing']

/** The operators that an attribute supports. */
export function operatorsOf({ kind }: ValueAttribute): readonly Operator[] {
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
    case 'refs':
      return ['has', 'missing']
    case 'inverse':
      return ['missing']
    default:
      return [...orderOperators, 'missing']
  }
}

/** The most values of `in`. */
export const maxInValues = 100

/** Creates the condition of a comparison; several values are alternatives of `in`. */
export function createComparison(
  attribute: ValueAttribute,
  operator: Operator,
  values: readonly JsonValue[],
): ValueResult<Condition> {
  const [only] = values
  if (only !== undefined && values.length === 1 && operator !== 'in') {
    return compareOne(attribute, operator, only)
  }
  const results = values.map((value) => compareOne(attribute, operator, value))
  const invalid = results.find((result) => 'expected' in result)
  if (invalid) return invalid
  const conditions = results.map((result) => (result as { value: Condition }).value)
  return { value: operator === 'in' ? joinAlternatives(conditions) : all(conditions) }
}

function compareOne(attribute: ValueAttribute, operator: Operator, value: JsonValue): ValueResult<Condition> {
  const { field, column } = attribute
  const single = operator === 'in' ? 'eq' : operator
  if (field?.ref) return compareReference(field, single, value)
  if (field?.refs) return compareMember(field, field.refs.resource, value)
  if (attribute.isId || field === undefined) {
    return mapValue(parseComparedId(field, value), (id) => compareId(column, single, id))
  }
  if (field.kind === 'decimal') return compareDecimal(field, single, value)
  const item = single === 'has' ? field.item : undefined
  if (item) return mapValue(parseListItem(item, value), (stored) => comparison(column, single, stored))
  return mapValue(parseValue(field, value), (stored) => comparison(column, single, stored))
}

function mapValue<T>(reading: ValueResult<T>, make: (value: T) => Condition): ValueResult<Condition> {
  return 'expected' in reading ? reading : { value: make(reading.value) }
}

function comparison(column: string, operator: Operator, value: StoredValue): Condition {
  return { kind: 'compare', path: [column], operator, values: [value] }
}

/** The column has a value; the result of `ne` with a value that no row can have. */
export function presentCondition(column: string): Condition {
  return not({ kind: 'compare', path: [column], operator: 'missing', values: [] })
}

function compareId(column: string, operator: Operator, id: StoredValue | undefined): Condition {
  if (id !== undefined) return comparison(column, operator, id)
  return operator === 'ne' ? presentCondition(column) : never
}

/** Compares by the id that representations show: the identity, or the key of the referenced item. */
function compareReference(
  { name, ref }: FieldModel,
  operator: Operator,
  value: JsonValue,
): ValueResult<Condition> {
  const keyField = ref?.resource.keyField
  return mapValue(parseComparedId(keyField, value), (id) => {
    if (keyField === undefined || id === undefined) return compareId(name, operator, id)
    return onReferenced(name, comparison(keyField.name, operator, id))
  })
}

/** Whether the set has a reference to the item with the id that representations show. */
function compareMember(
  { name }: FieldModel,
  { keyField }: ResourceModel,
  value: JsonValue,
): ValueResult<Condition> {
  return mapValue(parseComparedId(keyField, value), (id) =>
    id === undefined ? never : onReferenced(name, equals([keyField?.name ?? '_identity'], id)),
  )
}

/** A value with more fraction digits than the field lies between two values that rows can have. */
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

/** Parses a list element to its stored JSON form; booleans are 0 and 1. */
function parseListItem(item: FieldModel, value: JsonValue): ValueResult<StoredValue> {
  if (item.kind === 'decimal') {
    const reading = parseDecimal(item.scale ?? 0, value)
    if ('expected' in reading) return reading
    const { floor, exact } = reading.value
    // A decimal with too many digits is in no list, and neither is the empty text.
    return { value: exact ? String(item.decode(floor)) : '' }
  }
  const reading = parseValue(item, value)
  if ('expected' in reading || item.kind === 'boolean') return reading
  return { value: item.decode(reading.value) as StoredValue }
}

/** Joins equalities on one column to one `in`, and thereby to one SQL text. */
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
