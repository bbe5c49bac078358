/** Filter operators by kind, and comparisons as conditions for the store. */

import type { Comparand, FieldKind, PresentValue, Reading } from '../definition/field-kind.ts'
import { compareText } from '../definition/kinds/text.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import {
  all,
  any,
  type Condition,
  equals,
  isOneOf,
  never,
  type Operator,
  onReferenced,
  present,
} from '../store/condition.ts'
import type { ValueAttribute } from './queryable-fields.ts'

const orderOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in'] as const
const textOperators = [...orderOperators, 'contains', 'starts'] as const

/** The names of all operators. */
export const operatorNames: readonly Operator[] = [...textOperators, 'has', 'missing']

/** The operators that an attribute supports. */
export function operatorsOf({ kind }: ValueAttribute): readonly Operator[] {
  if (kind === 'inverse') return ['missing']
  return operatorsByTrait[kind === 'identity' ? 'order' : kind.operators]
}

const operatorsByTrait: Readonly<Record<FieldKind['operators'], readonly Operator[]>> = {
  none: [],
  equal: ['eq', 'ne', 'missing'],
  oneOf: ['eq', 'ne', 'in', 'missing'],
  order: [...orderOperators, 'missing'],
  text: [...textOperators, 'missing'],
  membership: ['has', 'missing'],
}

/** The most values of `in`. */
export const maxInValues = 100

/** Creates the condition of a comparison; several values are alternatives of `in`. */
export function createComparison(
  attribute: ValueAttribute,
  operator: Operator,
  values: readonly JsonValue[],
): Reading<Condition> {
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

function compareOne(attribute: ValueAttribute, operator: Operator, value: JsonValue): Reading<Condition> {
  const { field, column } = attribute
  const single = operator === 'in' ? 'eq' : operator
  if (field?.ref) return compareReference(field, single, value)
  if (field?.refs) return compareMember(field, field.refs.resource, value)
  if (attribute.isId || field === undefined) {
    return mapValue(parseComparedId(field, value), (id) => compareId(column, single, id))
  }
  const item = single === 'has' ? field.item : undefined
  const reading = (item ?? field).kind.compare(value, item ?? field)
  return mapValue(reading, (comparand) =>
    item ? comparison(column, single, listedValue(item, comparand)) : compareWith(column, single, comparand),
  )
}

function mapValue<T>(reading: Reading<T>, make: (value: T) => Condition): Reading<Condition> {
  return 'expected' in reading ? reading : { value: make(reading.value) }
}

function comparison(column: string, operator: Operator, value: PresentValue): Condition {
  return { kind: 'compare', path: [column], operator, values: [value] }
}

function compareId(column: string, operator: Operator, id: PresentValue | undefined): Condition {
  if (id !== undefined) return comparison(column, operator, id)
  return operator === 'ne' ? present([column]) : never
}

/** Compares by the id that representations show: the identity, or the key of the referenced item. */
function compareReference(
  { name, ref }: FieldModel,
  operator: Operator,
  value: JsonValue,
): Reading<Condition> {
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
): Reading<Condition> {
  return mapValue(parseComparedId(keyField, value), (id) =>
    id === undefined ? never : onReferenced(name, equals([keyField?.name ?? '_identity'], id)),
  )
}

/** An inexact value lies between the one that it was rounded down to and the next one. */
function compareWith(column: string, operator: Operator, { stored, isExact }: Comparand): Condition {
  if (isExact) return comparison(column, operator, stored)
  switch (operator) {
    case 'eq':
      return never
    case 'ne':
      return present([column])
    case 'gt':
    case 'gte':
      return comparison(column, 'gt', stored)
    default:
      return comparison(column, 'lte', stored)
  }
}

/** The value as a stored list has it, in JSON; booleans are 0 and 1. An inexact one is in no list, as the empty text. */
function listedValue(item: FieldModel, { stored, isExact }: Comparand): PresentValue {
  if (!isExact) return ''
  return item.kind.shape === 'boolean' ? stored : (item.decode(stored) as PresentValue)
}

/** Joins equalities on one column to one `in`, and thereby to one SQL text. */
function joinAlternatives(conditions: readonly Condition[]): Condition {
  const values: PresentValue[] = []
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
  return isOneOf([column], values)
}

/** Parses the text of a query parameter to the JSON value that a QUERY would have. */
export function parseText({ isId, field }: ValueAttribute, text: string): Reading<JsonValue> {
  const single = isId ? undefined : (field?.item ?? field)
  if (single?.kind.shape === 'boolean') return parseBoolean(text)
  if (single?.kind.shape !== 'number') return { value: text }
  if (numberPattern.test(text)) return { value: Number(text) }
  const reading = single.kind.compare(text, single)
  return 'expected' in reading ? reading : { value: text }
}

export function parseBoolean(text: string): Reading<boolean> {
  if (text === 'true' || text === 'false') return { value: text === 'true' }
  return { expected: 'true or false' }
}

const numberPattern = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/

/** Parses an id to the stored value of the key or the identity; undefined if no item can have it. */
export function parseComparedId(
  keyField: FieldModel | undefined,
  value: JsonValue,
): Reading<PresentValue | undefined> {
  const text = compareText(value)
  if ('expected' in text) return text
  const id = text.value.stored as string
  if (keyField === undefined) return { value: id }
  if (keyField.kind.shape === 'number') {
    return { value: /^(?:0|-?[1-9]\d{0,15})$/.test(id) ? Number(id) : undefined }
  }
  return { value: keyField.encode(id) ?? undefined }
}
