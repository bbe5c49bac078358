/** The field that describes the value of an aggregate: its kind and schema follow from its source. */

import { decimalKind } from './kinds/decimal.ts'
import { integerKind, numberKind } from './kinds/number.ts'
import type { AggregateDerivedModel, FieldModel } from './model.ts'
import { createdAt } from './system-fields.ts'

interface FieldDescription extends Pick<AggregateDerivedModel, 'operation' | 'source' | 'isAlwaysShown'> {
  readonly name: string
  readonly index: number
}

/** How many more fraction digits an average of decimals has than its field. */
export const averageDigits = 2

/** The field of the derived value. It is read-only, and required where every representation has it. */
export function createDerivedField(description: FieldDescription): FieldModel {
  const { name, index, operation, source, isAlwaysShown } = description
  const isPresent = operation === 'count' || (operation === 'sum' && source?.kind === 'decimal')
  return {
    ...createdAt,
    ...describeValue(operation, source),
    name,
    index,
    outputIndex: index,
    required: isAlwaysShown && isPresent,
  }
}

type ValueDescription = Pick<FieldModel, 'kind' | 'schema' | 'scale' | 'encode' | 'decode'>

function describeValue(
  operation: AggregateDerivedModel['operation'],
  source: FieldModel | undefined,
): ValueDescription {
  if (!source) return described('integer', { type: 'integer', minimum: 0 })
  if (operation === 'min' || operation === 'max') {
    const { kind, schema, scale, encode, decode } = source
    return { kind, schema, scale, encode, decode }
  }
  if (source.kind === 'decimal') {
    const scale = (source.scale ?? 0) + (operation === 'avg' ? averageDigits : 0)
    const digits = '5'.padEnd(scale, '0').slice(0, scale)
    const pattern = scale === 0 ? '^-?[0-9]+$' : `^-?[0-9]+\\.[0-9]{${scale}}$`
    return {
      kind: 'decimal',
      scale,
      schema: { type: 'string', pattern, examples: [decimalKind.decode(`31${digits}`, { scale })] },
      encode: (value) => decimalKind.encode(value, { scale }),
      decode: (stored) => decimalKind.decode(stored, { scale }),
    }
  }
  if (source.kind === 'integer' && operation === 'sum') return described('integer', { type: 'integer' })
  return described('number', { type: 'number' })
}

function described(kind: 'integer' | 'number', schema: FieldModel['schema']): ValueDescription {
  const { encode, decode } = kind === 'integer' ? integerKind : numberKind
  return {
    kind,
    scale: undefined,
    schema,
    encode: (value) => encode(value, {}),
    decode: (stored) => decode(stored, {}),
  }
}
