/** Help texts for form fields, from their schema. */

import { currentPassword } from '../../definition/current-password.ts'
import { cleanText, markdownType } from '../../definition/kinds/text.ts'
import type { FieldModel, JsonSchema } from '../../definition/model.ts'
import { formatOctetSize } from '../../definition/octet-size.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Language } from '../languages/language.ts'
import { collectionNoun } from '../markup/collection-nouns.ts'
import { writtenValue } from '../markup/written-value.ts'
import { pageLanguage, phrase, translated } from '../page-language.ts'

/** The declared help, then one or two short sentences about the limits; may be empty. */
export function fieldHelp(field: FieldModel): string {
  return helpIn(pageLanguage())(field)
}

const helpIn = memoizeByObject((_language: Language) => memoizeByObject(formatHelp))

function formatHelp(field: FieldModel): string {
  const own = field.help === undefined ? [] : [translated(field.help)]
  const sentences = [...own, ...kindHelp(field), ...(field.unique ? [phrase`Must be unique.`] : [])]
  return sentences.join(' ')
}

function kindHelp(field: FieldModel): readonly string[] {
  const { schema, item, refs, file } = field
  const { shape, isText, isHashed, order, input } = field.kind
  if (file) return [phrase`${file.types.join(', ')}, up to ${formatOctetSize(file.max)}.`]
  if (refs) return [phrase`Up to ${refs.max} items of ${collectionNoun(refs.resource)}.`]
  if (item) {
    const ofList = item.file ? phrase`Up to ${Number(schema.maxItems)} files.` : listHelp(schema)
    return [ofList, ...itemHelp(kindHelp(item))]
  }
  if (isText) return textHelp(schema)
  if (isHashed) return field === currentPassword ? [] : [lengthHelp(schema)]
  if (shape === 'number' || field.scale !== undefined) return [numberHelp(field)]
  if (shape === 'json') return [phrase`JSON.`]
  if (order === 'instant') return [phrase`Date and time in UTC.`]
  return input.type === 'url' ? [phrase`Starts with http:// or https://.`] : []
}

const unlimited: readonly unknown[] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

function numberHelp({ kind, schema, scale }: FieldModel): string {
  const written = (limit: unknown) =>
    limit === undefined || unlimited.includes(limit) ? undefined : writtenValue({ kind }, String(limit))
  if (scale !== undefined) {
    const what = phrase`A number with up to ${scale} decimal places`
    return rangeHelp(what, written(schema['x-minimum']), written(schema['x-maximum']))
  }
  const what = schema.type === 'integer' ? phrase`A whole number` : phrase`A number`
  return rangeHelp(what, written(schema.minimum), written(schema.maximum))
}

function textHelp(schema: JsonSchema): readonly string[] {
  const format = schema.contentMediaType === markdownType ? phrase`Markdown.` : ''
  return [format, lengthHelp(schema), patternHelp(schema)].filter((sentence) => sentence !== '')
}

function itemHelp(sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : [phrase`Each: ${sentences.join(' ')}`]
}

function lengthHelp({ minLength, maxLength }: JsonSchema): string {
  const [least, most] = [Number(minLength ?? 0), Number(maxLength ?? Infinity)]
  if (least > 1 && most < 10_000) return phrase`${least} to ${most} characters.`
  if (least > 1) return phrase`At least ${least} characters.`
  return most < 10_000 ? phrase`Up to ${most} characters.` : ''
}

/** The default pattern of every text needs no help. */
function patternHelp({ pattern }: JsonSchema): string {
  if (typeof pattern !== 'string' || pattern === cleanText) return ''
  const known = /^\^\[([^\]\\]+)\][+*]\$$/.exec(pattern)?.[1]
  return known === undefined ? phrase`Must match ${pattern}.` : phrase`Only ${classHelp(known)}.`
}

/** A character class in words. */
function classHelp(characters: string): string {
  const words: string[] = []
  let rest = characters
  for (const [range, word] of ranges) {
    if (!rest.includes(range)) continue
    rest = rest.replace(range, '')
    words.push(translated(word))
  }
  for (const character of rest) words.push(translated(characterNames[character] ?? character))
  const last = words.pop() ?? ''
  return words.length === 0 ? last : phrase`${words.join(', ')} and ${last}`
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
function rangeHelp(what: string, least: string | undefined, most: string | undefined): string {
  if (least !== undefined && most !== undefined) return phrase`${what} from ${least} to ${most}.`
  if (least !== undefined) return phrase`${what}, at least ${least}.`
  return most === undefined ? `${what}.` : phrase`${what}, at most ${most}.`
}

function listHelp({ minItems, maxItems }: JsonSchema): string {
  const least = minItems === undefined ? '' : `${phrase`At least ${Number(minItems)}.`} `
  return `${least}${phrase`At most ${Number(maxItems)}.`}`
}
