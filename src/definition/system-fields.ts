/** The fields `createdAt` and `updatedAt`, which every item has without a declaration. */

import { timestampKind } from './kinds/time.ts'
import { CREATED_AT, type FieldModel, UPDATED_AT } from './model.ts'

export const createdAt: FieldModel = systemField('createdAt', CREATED_AT)
export const updatedAt: FieldModel = systemField('updatedAt', UPDATED_AT)

/** By name. */
export const systemFields: ReadonlyMap<string, FieldModel> = new Map([
  ['createdAt', createdAt],
  ['updatedAt', updatedAt],
])

function systemField(name: string, at: number): FieldModel {
  return Object.freeze({
    name,
    kind: 'timestamp',
    required: true,
    unique: false,
    default: undefined,
    readOnly: true,
    immutable: false,
    writeOnly: false,
    visibleTo: undefined,
    writableBy: undefined,
    fromPrincipal: false,
    filterable: true,
    formerly: [],
    label: undefined,
    help: undefined,
    tones: new Map(),
    schema: timestampKind.schema({}, { isKey: false, isIndexed: false }),
    index: at,
    outputIndex: at,
    scale: undefined,
    ref: undefined,
    refs: undefined,
    state: undefined,
    file: undefined,
    item: undefined,
    encode: (value) => timestampKind.encode(value, {}),
    decode: (stored) => timestampKind.decode(stored, {}),
  } satisfies FieldModel)
}
