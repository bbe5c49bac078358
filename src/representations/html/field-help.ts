/** Help texts for form fields, from their schema. */

import { currentPassword } from '../../definition/current-password.ts'
import { isFileList } from '../../definition/file-fields.ts'
import { cleanText, markdownType } from '../../definition/kinds/text.ts'
import type { FieldModel, JsonSchema } from '../../definition/model.ts'
import { formatOctetSize } from '../../definition/octet-size.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { collectionNoun } from './collection-nouns.ts'

/** The declared help, then one or two short sentences about the limits; may be empty. */
export const fieldHelp = memoizeByObject((field: FieldModel): string => {
  const own = field.help === undefined ? [] : [field.help]
  const sentences = [...own, ...kindHelp(field), ...(field.unique ? ['Must be unique.'] : [])]
  return sentences.join(' ')
})

function kindHelp(field: FieldModel): readonly string[] {
  const { kind, schema, item, refs } = field
  switch (kind) {
    case 'password':
      return field === currentPassword ? [] : [lengthHelp(schema)]
    case 'text':
      return [
        ...(schema.contentMediaType === markdownType ? ['Markdown.'] : []),
        ...[lengthHelp(schema), patternHelp(schema)].filter((one) => one !== ''),
      ]
    case 'integer':
      return [rangeHelp('A whole number', schema.minimum, schema.maximum)]
    case 'number':
      return [rangeHelp('A number', schema.minimum, schema.maximum)]
    case 'decimal':
      return [
        rangeHelp(
          `A number with up to ${field.scale} decimal places`,
          schema['x-minimum'],
          schema['x-maximum'],
        ),
      ]
    case 'timestamp':
      return ['Date and time in UTC.']
    case 'url':
      return ['Starts with http:// or https://.']
    case 'json':
      return ['JSON.']
    case 'file':
      return [`${field.file?.types.join(', ')}, up to ${formatOctetSize(field.file?.max ?? 0)}.`]
    case 'refs':
      return refs ? [`Up to ${refs.max} items of ${collectionNoun(refs.resource)}.`] : []
    case 'list':
      if (isFileList(field))
        return [`Up to ${schema.maxItems} files.`, ...(item ? itemHelp(kindHelp(item)) : [])]
      return [listHelp(schema), ...(item ? itemHelp(kindHelp(item)) : [])]
    default:
      return []
  }
}

function itemHelp(sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : [`Each: ${sentences.join(' ')}`]
}

function lengthHelp({ minLength, maxLength }: JsonSchema): string {
  const [least, most] = [Number(minLength ?? 0), Number(maxLength ?? Infinity)]
  const written = most.toLocaleString('en')
  if (least > 1 && most < 10_000) return `${least} to ${written} characters.`
  if (least > 1) return `At least ${least} characters.`
  return most < 10_000 ? `Up to ${written} characters.` : ''
}

/** The default pattern of every text needs no help. */
function patternHelp({ pattern }: JsonSchema): string {
  if (typeof pattern !== 'string' || pattern === cleanText) return ''
  const known = /^\^\[([^\]\\]+)\][+*]\$$/.exec(pattern)?.[1]
  return known === undefined ? `Must match ${pattern}.` : `Only ${classHelp(known)}.`
}

/** A character class in words. */
function classHelp(characters: string): string {
  const words: string[] = []
  let rest = characters
  for (const [range, word] of ranges) {
    if (!rest.includes(range)) continue
    rest = rest.replace(range, '')
    words.push(word)
  }
  for (const character of rest) words.push(characterNames[character] ?? character)
  const last = words.pop() ?? ''
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`
}

const ranges = [
  ['a-z', 'a to z'],
  ['A-Z', 'A to Z'],
  ['0-9', 'digits'],
] as const

const characterNames: Readonly<Record<string, string>> = {
  '-': 'hyphens',
  _: 'underscores',
  '.': 'dots',
  ' ': 'spaces',
}

/** Leaves out the bounds that every integer has. */
function rangeHelp(what: string, minimum: unknown, maximum: unknown): string {
  const least = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (least !== undefined && most !== undefined) return `${what} from ${least} to ${most}.`
  if (least !== undefined) return `${what}, at least ${least}.`
  return most === undefined ? `${what}.` : `${what}, at most ${most}.`
}

function listHelp({ minItems, maxItems }: JsonSchema): string {
  const least = minItems === undefined ? '' : `At least ${minItems}. `
  return `${least}At most ${Number(maxItems).toLocaleString('en')}.`
}
