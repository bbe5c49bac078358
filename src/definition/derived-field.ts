/** The values of aggregates, and the field that describes such a value: its kind and schema follow from its source. */

import type { FieldKind, FieldValues } from './field-kind.ts'
import { integerKind, unlimited } from './kinds/number.ts'
import type { AggregateDerivedModel, FieldModel } from './model.ts'
import { createdAt } from './system-fields.ts'

interface FieldDescription extends Pick<AggregateDerivedModel, 'operation' | 'source' | 'isAlwaysShown'> {
  readonly name: string
  readonly index: number
}

/** The field of the derived value. It is read-only, and required where every representation has it. */
export function createDerivedField(description: FieldDescription): FieldModel {
  const { name, index, operation, source, isAlwaysShown } = description
  const isPresent = operation === 'count' || (operation === 'sum' && source?.kind.column === 'decimal')
  const { kind, schema, scale, encode, decode } = aggregateValues(operation, source)
  return {
    ...createdAt,
    kind,
    schema,
    scale,
    encode,
    decode,
    name,
    index,
    outputIndex: index,
    required: isAlwaysShown && isPresent,
  }
}

/** The aggregates that fields of the kind have, besides `count`. */
export function aggregatesOf({ order, totals }: FieldKind): readonly ('sum' | 'avg' | 'min' | 'max')[] {
  if (totals) return ['sum', 'avg', 'min', 'max']
  return order === 'none' || order === 'plain' ? [] : ['min', 'max']
}

/** The values of the aggregate of a field, which only `count` does not need. */
export function aggregateValues(
  operation: AggregateDerivedModel['operation'],
  source: FieldModel | undefined,
): FieldValues {
  if (!source) return { ...unlimited(integerKind, 'integer'), schema: { type: 'integer', minimum: 0 } }
  if (operation === 'min' || operation === 'max') return source
  const { totals } = source.kind
  if (!totals) throw new Error(`${source.name} has no sums`)
  return operation === 'sum' ? totals.sum(source) : totals.average(source)
}
