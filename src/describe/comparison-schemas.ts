/** What a field can be compared with, described once for each kind of field. */

import { cleanText } from '../definition/kinds/text.ts'
import { dateSchema, timestampSchema } from '../definition/kinds/time.ts'
import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { maxInValues, operatorsOf } from '../query/comparison.ts'
import { maxValueLength } from '../query/comparison-value.ts'
import type { Attribute } from '../query/queryable-fields.ts'
import type { Operator } from '../store/condition.ts'
import type { AudienceResource } from './audience.ts'
import { choiceName, choiceReference, isChoice } from './choice-schemas.ts'
import type { Components } from './components.ts'
import { upperFirst } from './generated-names.ts'
import { shareSchema } from './shared-schemas.ts'

/** An attribute of the items of a collection. */
export interface ComparedAttribute {
  readonly part: AudienceResource
  readonly attribute: Attribute
}

/** The operators of a query string, as the members of an object (`deepObject`). */
export function comparisonReference(
  components: Components,
  compared: ComparedAttribute,
): JsonSchema {
  return components.refer('schemas', componentName(compared, 'Comparison'), () =>
    operatorSchema(compared, (operator) => queryOperand(components, compared, operator)),
  )
}

/** The same within the content of a QUERY: a value to equal, or operators with theirs. */
export function conditionReference(
  components: Components,
  compared: ComparedAttribute,
): JsonSchema {
  return components.refer('schemas', componentName(compared, 'Condition'), () => {
    const comparing = operatorSchema(compared, (operator) =>
      contentOperand(components, compared, operator),
    )
    if (!operatorsOf(compared.attribute).includes('eq')) return comparing
    return { anyOf: [valueSchema(components, compared), comparing] }
  })
}

/** `TextComparison`, or `Articles.status.Comparison`. */
function componentName(compared: ComparedAttribute, suffix: string): string {
  const name = comparisonName(compared)
  return name.includes('.') ? `${name}.${suffix}` : name + suffix
}

/** A name for all attributes that are compared alike; values of a choice are the field's own. */
export function comparisonName({ part, attribute }: ComparedAttribute): string {
  const { field, kind } = attribute
  if (isChoice(field) && !attribute.isId) return choiceName(part.resource, field)
  if (kind === 'list' && isChoice(field?.item)) return `${choiceName(part.resource, field)}.List`
  if (kind === 'list') return `${upperFirst(valueKind(field?.item))}List`
  if (kind === 'ref') return 'Reference'
  if (operatorsOf(attribute).includes('contains')) return 'Text'
  const own = attribute.isId ? 'identity' : valueKind(field)
  return own === 'text' ? 'Identity' : upperFirst(own)
}

function valueKind(field: FieldModel | undefined): string {
  const kind = field?.kind ?? 'text'
  return Object.hasOwn(values, kind) ? kind : 'text'
}

function operatorSchema(
  { attribute }: ComparedAttribute,
  operandOf: (operator: Operator) => JsonSchema,
): JsonSchema {
  const operators = operatorsOf(attribute)
  return {
    type: 'object',
    properties: Object.fromEntries(operators.map((operator) => [operator, operandOf(operator)])),
    additionalProperties: false,
  }
}

/** The type and the values of a choice: any other value that no item can have matches nothing. */
function queryOperand(
  components: Components,
  one: ComparedAttribute,
  operator: Operator,
): JsonSchema {
  if (operator === 'missing') return { type: 'boolean' }
  if (operator === 'in') return { type: 'string', description: 'Values, parted by commas' }
  return valueSchema(components, one)
}

function contentOperand(
  components: Components,
  one: ComparedAttribute,
  operator: Operator,
): JsonSchema {
  if (operator === 'missing') return { type: 'boolean' }
  const value = valueSchema(components, one)
  return operator === 'in'
    ? { type: 'array', items: value, minItems: 1, maxItems: maxInValues }
    : value
}

const operatorMeanings: Readonly<Record<Operator, string>> = {
  eq: 'is this',
  ne: 'is there and is not this',
  lt: 'is less',
  lte: 'is not more',
  gt: 'is more',
  gte: 'is not less',
  in: 'is one of these, parted by commas; a comma within one is written `\\,`',
  contains: 'has this in it, letter case aside',
  starts: 'begins with this, letter case aside',
  has: 'has this among its values',
  missing: 'is missing, or with `false` is there',
}

/** What each operator asks of a field. */
export const operatorGuide = `The operators: ${Object.entries(operatorMeanings)
  .map(([operator, meaning]) => `\`${operator}\` ${meaning}`)
  .join('; ')}.`

function valueSchema(components: Components, { part, attribute }: ComparedAttribute): JsonSchema {
  const { field, isId } = attribute
  const item = field?.item
  if (isId) return anyText
  if (isChoice(item)) return { type: 'string', enum: item.schema.enum }
  const kind = valueKind(field?.item ?? field)
  if (isChoice(field)) return choiceReference(components, part.resource, field)
  return shareSchema(components, values[kind] ?? anyText)
}

const anyText: JsonSchema = { type: 'string', maxLength: maxValueLength, pattern: cleanText }

const values: Readonly<Record<string, JsonSchema>> = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: dateSchema,
  timestamp: timestampSchema,
  decimal: { type: 'string', pattern: '^-?[0-9]{1,60}(?:\\.[0-9]{1,60})?$' },
}
