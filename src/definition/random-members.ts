/** Random items of a resource as JSON members, the same for the same seed: to try the code of a definition. */

import { cleanText } from './kinds/text.ts'
import type { FieldModel, JsonValue } from './model.ts'
import { type PatternAlternatives, type PatternNode, parsePattern } from './pattern-tree.ts'
import type { ItemMembers } from './version-conversion.ts'

/** A random source; equal seeds give equal numbers (mulberry32). */
export function createRandom(seed: number): RandomSource {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The members that an item with these fields may have. Optional fields are left out at random. */
export function randomMembers(fields: readonly FieldModel[], random: RandomSource): ItemMembers {
  const shown = fields.filter(({ required, writeOnly }) => !writeOnly && (required || random() < 0.7))
  const entries = shown.map((field): [string, JsonValue] => [field.name, randomValue(field, random)])
  return { id: randomUuid(random), ...Object.fromEntries(entries), ...randomTimes(random) }
}

function randomTimes(random: RandomSource): ItemMembers {
  const createdAt = randomTimestamp(random)
  return { createdAt, updatedAt: random() < 0.5 ? createdAt : randomTimestamp(random) }
}

function randomValue(field: FieldModel, random: RandomSource): JsonValue {
  const { kind, schema, item, state, scale } = field
  const choices = state?.states ?? (schema.enum as readonly JsonValue[] | undefined)
  if (choices) return pick(choices, random)
  if (field.default !== undefined && random() < 0.2) return field.default
  switch (kind) {
    case 'integer':
      return randomInteger(schema, random)
    case 'number':
      return randomInteger(schema, random) + (schema.maximum === undefined ? 0.5 : 0)
    case 'decimal':
      return (Math.floor(random() * 10_000) / 10).toFixed(scale ?? 2)
    case 'boolean':
      return random() < 0.5
    case 'date':
      return randomTimestamp(random).slice(0, 10)
    case 'timestamp':
      return randomTimestamp(random)
    case 'uuid':
    case 'ref':
      return randomUuid(random)
    case 'email':
      return `${randomWord(random)}@example.org`
    case 'url':
      return `https://example.org/${randomWord(random)}`
    case 'list':
    case 'refs':
      return item ? randomList(field, item, random) : []
    case 'json':
      return { [randomWord(random)]: Math.floor(random() * 10) }
    case 'file':
      return {
        href: `/files/${randomWord(random)}`,
        name: 'a.png',
        type: 'image/png',
        size: 1,
        digest: 'sha-256=:AA==:',
      }
    default:
      return randomText(schema, random)
  }
}

function randomInteger({ minimum, maximum }: FieldModel['schema'], random: RandomSource): number {
  const least = Number(minimum ?? Math.min(0, Number(maximum ?? 0)))
  const most = Math.max(least, Math.min(Number(maximum ?? least + 1000), least + 1000))
  return Math.floor(least + random() * (most - least + 1))
}

function randomList({ schema }: FieldModel, item: FieldModel, random: RandomSource): readonly JsonValue[] {
  const length = Math.max(Number(schema.minItems ?? 0), Math.floor(random() * 4))
  return Array.from({ length }, () => randomValue(item, random))
}

const words = 'Ada Ben Cleo van de Jong O’Neil 李 north red 7 blue-green x'.split(' ')

/** A match of the pattern, or one to three words, of the required length. */
function randomText(
  { pattern, minLength = 0, maxLength = 100 }: FieldModel['schema'],
  random: RandomSource,
): string {
  const match =
    typeof pattern === 'string' && pattern !== cleanText ? randomMatch(pattern, random) : undefined
  if (match !== undefined) return match
  const text = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(words, random)).join(' ')
  return text.padEnd(Number(minLength), 'x').slice(0, Number(maxLength))
}

/** A function that returns numbers from 0 to below 1. */
type RandomSource = () => number

/** A text that matches the pattern; undefined where none was found. */
function randomMatch(pattern: string, random: RandomSource): string | undefined {
  const tree = parsePattern(pattern)
  const expression = new RegExp(pattern, 'u')
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const text = matchOf(tree, random)
    if (expression.test(text)) return text
  }
  return undefined
}

const maxAttempts = 20
/** Repetitions beyond the least. */
const maxRepetitions = 4

function matchOf(alternatives: PatternAlternatives, random: RandomSource): string {
  const sequence = alternatives[Math.floor(random() * alternatives.length)] ?? []
  return sequence.map((node) => repeatedMatch(node, random)).join('')
}

function repeatedMatch(node: PatternNode, random: RandomSource): string {
  const most = Math.min(node.most, node.least + maxRepetitions)
  const length = node.least + Math.floor(random() * (most - node.least + 1))
  return Array.from({ length }, () => singleMatch(node, random)).join('')
}

/** Characters that patterns usually allow. */
const characters = [...'abcxyzABCXYZ0123456789 -_.,:;/+#@é李']

function singleMatch({ source, group }: PatternNode, random: RandomSource): string {
  // A lookahead matches no character.
  if (group) return /^\(\?<?[=!]/.test(source) ? '' : matchOf(group, random)
  if (source === '^' || source === '$' || source === '\\b' || source === '\\B') return ''
  const expression = new RegExp(`^(?:${source})$`, 'u')
  const fitting = characters.filter((one) => expression.test(one))
  return fitting[Math.floor(random() * fitting.length)] ?? ''
}

function randomWord(random: RandomSource): string {
  return Math.floor(random() * 36 ** 6).toString(36)
}

function randomUuid(random: RandomSource): string {
  const digits = Array.from({ length: 31 }, () => Math.floor(random() * 16).toString(16)).join('')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(12, 15)}-a${digits.slice(15, 18)}-${digits.slice(18, 30)}`
}

function randomTimestamp(random: RandomSource): string {
  return new Date(Date.UTC(2020, 0, 1) + Math.floor(random() * 10 * 365 * 86_400_000)).toISOString()
}

function pick<Value>(values: readonly Value[], random: RandomSource): Value {
  // The lists are not empty.
  return values[Math.floor(random() * values.length)] as Value
}
