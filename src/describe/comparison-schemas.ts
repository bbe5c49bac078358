/** Schemas of the operators and values that filters take. */

import { cleanText, maxComparedLength } from '../definition/kinds/text.ts'
import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { maxInValues, operatorsOf } from '../query/comparison.ts'
import type { ValueAttribute } from '../query/queryable-fields.ts'
import type { Operator } from '../store/condition.ts'
import type { Components } from './component-registry.ts'
import { upperFirst } from './generated-names.ts'
import type { AudienceResource } from './permitted-resources.ts'
import {
  choiceName,
  choiceOf,
  choiceReference,
  isChoice,
  referToSharedSchema,
} from './shared-value-schemas.ts'

/** An attribute of the items of a collection. */
export interface ComparedAttribute {
  readonly part: AudienceResource
  readonly attribute: ValueAttribute
}

/** Returns a reference to the operators in a query string (`deepObject`). */
export function comparisonReference(components: Components, compared: ComparedAttribute): JsonSchema {
  return components.refer('schemas', componentName(compared, 'Comparison'), () =>
    operatorSchema(compared, (operator) => queryOperand(components, compared, operator)),
  )
}

/** Returns a reference to the condition in the content of QUERY: a value to equal, or operators. */
export function conditionReference(components: Components, compared: ComparedAttribute): JsonSchema {
  return components.refer('schemas', componentName(compared, 'Condition'), () => {
    const comparing = operatorSchema(compared, (operator) => contentOperand(components, compared, operator))
    if (!operatorsOf(compared.attribute).includes('eq')) return comparing
    return { anyOf: [valueSchema(components, compared), comparing] }
  })
}

/** `TextComparison`, or `Articles.status.Comparison`. */
function componentName(compared: ComparedAttribute, suffix: string): string {
  const name = comparisonName(compared)
  return name.includes('.') ? `${name}.${suffix}` : name + suffix
}

/** Returns a name that attributes with the same schema share; each choice has its own. */
export function comparisonName({ part, attribute }: ComparedAttribute): string {
  const { field, kind } = attribute
  if (kind === 'inverse') return 'Inverse'
  if (isChoice(field) && !attribute.isId) return choiceName(part.resource, field)
  if (isChoice(field?.item)) return `${choiceName(part.resource, field)}.List`
  if (field?.ref) return 'Reference'
  if (field?.refs) return 'References'
  if (field?.item) return `${valueName(field.item) ?? 'Text'}List`
  if (operatorsOf(attribute).includes('contains')) return 'Text'
  return (attribute.isId ? undefined : valueName(field)) ?? 'Identity'
}

/** The name of the kind where its values have a schema of their own. */
function valueName(field: FieldModel | undefined): string | undefined {
  return field?.kind.comparedSchema && upperFirst(field.kind.name)
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

/** A value that no item can have matches nothing, so limits are not described. */
function queryOperand(components: Components, one: ComparedAttribute, operator: Operator): JsonSchema {
  if (operator === 'missing') return { type: 'boolean' }
  if (operator === 'in') return { type: 'string', description: 'Values, separated by commas' }
  return valueSchema(components, one)
}

function contentOperand(components: Components, one: ComparedAttribute, operator: Operator): JsonSchema {
  if (operator === 'missing') return { type: 'boolean' }
  const value = valueSchema(components, one)
  return operator === 'in' ? { type: 'array', items: value, minItems: 1, maxItems: maxInValues } : value
}

const operatorMeanings: Readonly<Record<Operator, string>> = {
  eq: 'equals',
  ne: 'is present and differs',
  lt: 'is less',
  lte: 'is less or equal',
  gt: 'is greater',
  gte: 'is greater or equal',
  in: 'is one of these values, separated by commas (write a comma within a value as `\\,`)',
  contains: 'contains this text, ignoring case',
  starts: 'begins with this text, ignoring case',
  has: 'has this value in the list, or this id in the set of references',
  missing: 'is absent or an empty set of references (`true`), or not (`false`)',
}

/** The operators in words. */
export const operatorGuide = `The operators: ${Object.entries(operatorMeanings)
  .map(([operator, meaning]) => `\`${operator}\` ${meaning}`)
  .join('; ')}.`

function valueSchema(components: Components, { part, attribute }: ComparedAttribute): JsonSchema {
  const { field, isId } = attribute
  if (isId) return comparedText(components)
  if (field && choiceOf(field)) return choiceReference(components, part.resource, field)
  const schema = (field?.item ?? field)?.kind.comparedSchema
  return schema ? referToSharedSchema(components, schema) : comparedText(components)
}

/** Returns a reference to the schema of a text that values are compared with. */
function comparedText(components: Components): JsonSchema {
  return components.refer('schemas', 'ComparedText', () => ({
    type: 'string',
    maxLength: maxComparedLength,
    pattern: cleanText,
  }))
}
