/**
 * Files: a body shows where the file is and what it is, a column holds the same with the digest that
 * names the content. The content has a URI of its own below the item.
 */

import { parseMediaType } from '../../http/media-type.ts'
import { declareField, type FileField, fileModifiers } from '../field.ts'
import { octetSizeOption, parseOctetSize } from '../octet-size.ts'
import { type Expectation, type OptionTable, required } from '../option-table.ts'
import { describeStoredFile, parseStoredFile } from '../stored-file.ts'
import { type Kind, partTraits } from './kind.ts'

export type FileOptions = {
  /** The media types of its content, such as `'image/*'` and `'application/pdf'`. */
  readonly types: readonly string[]
  /** The largest size, such as `'20 MB'`. */
  readonly max: string
}

/**
 * A field with a file, which requests read and write at its own URI, such as `/tasks/{id}/cover`.
 * @example
 * const cover = file({ types: ['image/*', 'application/pdf'], max: '20 MB' }).optional()
 */
export function file(options: FileOptions): FileField {
  return declareField({ kind: fileKind, options }, fileModifiers)
}

const mediaRanges: Expectation<readonly string[]> = {
  expected: "a list of media types such as 'image/png' or 'image/*'",
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.length > 0 && value.every(isMediaRange),
}

/** `multipart` content is read as a form, so no file can have such a type. */
function isMediaRange(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const range = parseMediaType(value)
  if (!range || range.essence !== value || range.type === 'multipart') return false
  return range.type === '*' ? range.subtype === '*' : true
}

/** The largest file that a definition may allow. */
const maxFileSize = '1 TB'

/** The schema of the member. Only `href` says which file a request means; the others must fit it. */
const memberSchema = {
  type: 'object',
  properties: {
    href: { type: 'string', format: 'uri-reference', maxLength: 8192 },
    name: { type: 'string', maxLength: 255 },
    type: { type: 'string', maxLength: 255 },
    size: { type: 'integer', minimum: 0 },
    digest: { type: 'string', maxLength: 100 },
  },
  required: ['href'],
  additionalProperties: false,
} as const

/** The schema of a column. The limits of the field apply to new files only. */
export const storedFileSchema = {
  type: 'object',
  required: ['name', 'type', 'size', 'digest'],
} as const

export const fileOptionTable = {
  types: required(mediaRanges, "Add types: ['image/*']."),
  max: required(octetSizeOption(maxFileSize), "Add max: '20 MB'."),
} satisfies OptionTable

export const fileKind: Kind<FileOptions> = {
  ...partTraits,
  name: 'file',
  shape: 'file',
  encoding: 'decoded',
  mayBeItem: true,
  operators: 'none',
  family: 'file',
  examples: () => [exampleFile],
  options: fileOptionTable,
  schema: () => memberSchema,
  // A write finds the file that `href` names; no value is encoded by itself.
  encode: (value) => JSON.stringify(value),
  decode(stored) {
    const found = parseStoredFile(stored)
    if (found?.digest === undefined) throw new TypeError('The column does not hold a file')
    return describeStoredFile(found)
  },
  // Undefined options are faults.
  parts: ({ types = [], max }) => ({ file: { types, max: parseOctetSize(max) ?? 0 } }),
  requirement: () => 'Must be an object with the href of a file.',
}

const exampleFile = {
  href: '/files/example',
  name: 'example.png',
  type: 'image/png',
  size: 1234,
  digest: 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
}
