/** The fields `createdAt` and `updatedAt`, which every item has without a declaration. */

import { timestampKind } from './kinds/time.ts'
import {
  type ChangePlace,
  CREATED_AT,
  type FieldModel,
  PUBLIC_UPDATED_AT,
  UPDATED_AT,
  VERSION,
} from './model.ts'

export const createdAt: FieldModel = systemField('createdAt', CREATED_AT)
export const updatedAt: FieldModel = systemField('updatedAt', UPDATED_AT)

/** By name. */
export const systemFields: ReadonlyMap<string, FieldModel> = new Map([
  ['createdAt', createdAt],
  ['updatedAt', updatedAt],
])

/** The place of the last change of an item. */
export const lastChange: ChangePlace = { version: VERSION, updatedAt, timeColumn: 'updatedAt' }

/** The place of the last public change, whose columns begin at the index. */
export function publicChangeAt(index: number): ChangePlace {
  return {
    version: index,
    updatedAt: systemField('updatedAt', index + 1),
    timeColumn: PUBLIC_UPDATED_AT,
  }
}

function systemField(name: string, at: number): FieldModel {
  return Object.freeze({
    name,
    kind: timestampKind,
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
