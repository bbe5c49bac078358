/**
 * Lists of single values, kept as JSON text whose items stand in the form a body shows, and lists of files,
 * whose items stand in the form of `stored-file.ts`.
 */

import type { FaultReport } from '../definition-fault.ts'
import {
  declareField,
  type Field,
  type FileField,
  type FileListField,
  fileModifiers,
  findFieldDeclaration,
  type PlainField,
  plainModifiers,
} from '../field.ts'
import type { ContentFields, ObjectList } from '../logic/content.ts'
import type { FieldModel } from '../model.ts'
import { booleanOption, objectOption, wholeNumber } from '../option-table.ts'
import { describeStoredFile, parseStoredFiles } from '../stored-file.ts'
import type { JsonSchema, JsonValue } from '../value-types.ts'
import { storedFileSchema } from './file.ts'
import { checkRange, type Kind, partTraits } from './kind.ts'
import { type ObjectListOptions, objectListKind } from './object-list.ts'

export type FileListOptions = {
  readonly min?: number
  /** 100 by default, at most 1,000. */
  readonly max?: number
}

export type ListOptions = {
  readonly min?: number
  /** 10,000 by default, which is also the most. */
  readonly max?: number
  /** Whether an item may be there only once. */
  readonly unique?: boolean
}

/**
 * A field with a list of files, each with its own URI, such as `/tasks/{id}/photos/{file}`.
 * @example
 * const photos = list(file({ types: ['image/*'], max: '20 MB' }), { max: 10 })
 */
export function list(item: FileField, options?: FileListOptions): FileListField
/**
 * A field with a list of single values.
 * @example
 * const tags = list(text({ max: 30 }), { max: 10, unique: true }).default([])
 */
export function list<V>(
  item: Field<V, 'quantity' | 'time'>,
  options?: ListOptions,
): PlainField<readonly V[], 'list'>
/**
 * A list of objects, in the input or the result of an action.
 * @example
 * const lines = list({ product: ref('products'), quantity: integer({ min: 1 }) }, { min: 1, max: 100 })
 */
export function list<const F extends ContentFields>(
  members: F,
  options?: ObjectListOptions,
): ObjectList<F, false>
export function list(item: Field | ContentFields, options: ListOptions = {}): Field | ObjectList {
  if (isMembers(item)) {
    return declareField({ kind: objectListKind, options, item }, ['optional', 'label', 'help'])
  }
  const isOfFiles = findFieldDeclaration(item)?.kind.shape === 'file'
  return declareField({ kind: listKind, options, item }, isOfFiles ? fileModifiers : plainModifiers)
}

/** Whether it is an object of fields, and no field. */
function isMembers(item: unknown): item is ContentFields {
  return objectOption.accepts(item) && findFieldDeclaration(item) === undefined
}

const maxListLength = 10_000
const maxFiles = 1000
const defaultMaxFiles = 100

/** The declared options with the model of the items. */
type Compiled = ListOptions & { readonly item?: FieldModel; readonly itemForm: string }

export const listKind: Kind<Compiled> = {
  ...partTraits,
  name: 'list',
  shape: 'list',
  operators: 'membership',
  family: 'list',
  options: {
    min: wholeNumber(0, maxListLength),
    max: wholeNumber(1, maxListLength),
    unique: booleanOption,
  },
  check: checkRange,
  schema: ({ min = 0, max, unique, item }) => ({
    type: 'array',
    items: item?.schema,
    ...(min > 0 && { minItems: min }),
    maxItems: max ?? (item?.file ? defaultMaxFiles : maxListLength),
    ...(unique && { uniqueItems: true }),
  }),
  // A write finds the files that a list names; no list of files is encoded by itself.
  encode: (value, { item }) =>
    JSON.stringify(
      item?.file ? value : (value as readonly JsonValue[]).map((one) => item!.decode(item!.encode(one)!)),
    ),
  decode: (stored, { item }) =>
    item?.file ? parseStoredFiles(stored).map(describeStoredFile) : JSON.parse(String(stored)),
  requirement: ({ itemForm }) => itemForm,
}

/** Reports options that a list of files cannot have. */
export function checkFileList({ max, min = 0, unique }: ListOptions, report: FaultReport): void {
  if (unique !== undefined) report("A list of files cannot have the option 'unique'.", 'Remove it.')
  if ((max ?? 0) > maxFiles)
    report(`A list of files may have at most ${maxFiles} files.`, `Write max: ${maxFiles}.`)
  if (max === undefined) checkRange({ min, max: defaultMaxFiles }, report)
}

/** The schema of the column of a list of files. */
export function storedFilesSchema({ maxItems }: JsonSchema): JsonSchema {
  return { type: 'array', maxItems, items: storedFileSchema }
}
