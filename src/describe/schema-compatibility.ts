/**
 * Compares two JSON Schemas of the same place in two OpenAPI documents. In a request, the new schema must
 * accept all that the old one accepted. In a response, a reader of the old schema must find what it
 * promised: the same members of the same types. Further values of a choice and wider limits do not break
 * a reader.
 */

import type { JsonSchema } from '../definition/model.ts'

export type Direction = 'request' | 'response'

export interface SchemaPair {
  readonly direction: Direction
  readonly old: JsonSchema
  readonly new: JsonSchema
}

/** A difference that breaks clients. */
export interface SchemaBreak {
  /** A JSON Pointer to the member; the items of a list have the pointer of the list. */
  readonly pointer: string
  readonly reason: string
}

/** Resolves the references of a document. */
export type ResolveSchema = (schema: JsonSchema) => JsonSchema

export interface SchemaComparison {
  readonly resolveOld: ResolveSchema
  readonly resolveNew: ResolveSchema
}

/**
 * Returns a function that finds the differences between two schemas. Each pair is compared once: schemas
 * refer to each other in circles, and the paths through them are too many to follow. So a difference of a
 * pair within itself is reported at the outer place only.
 */
export function createSchemaComparer({ resolveOld, resolveNew }: SchemaComparison) {
  const known = new Map<string, readonly SchemaBreak[]>()
  return compare

  function compare({ direction, old, new: next }: SchemaPair, pointer = ''): readonly SchemaBreak[] {
    const key = `${direction} ${JSON.stringify(old)} ${JSON.stringify(next)}`
    let found = known.get(key)
    if (!found) {
      known.set(key, [])
      found = compareAlternatives(
        direction,
        alternatives(old, resolveOld),
        alternatives(next, resolveNew),
        '',
      )
      known.set(key, found)
    }
    return found.map((one) => ({ ...one, pointer: `${pointer}${one.pointer}` }))
  }

  /** Each alternative that clients know must have one that fits it. */
  function compareAlternatives(
    direction: Direction,
    old: readonly JsonSchema[],
    next: readonly JsonSchema[],
    pointer: string,
  ): readonly SchemaBreak[] {
    return old.flatMap((one, at) => {
      // The alternative at the same place is compared first, and its differences are reported.
      const others = [next[at] ?? next[0] ?? {}, ...next]
      const attempts = others.map((other) => compareSingle(direction, one, other, pointer))
      return attempts.find((attempt) => attempt.length === 0) ?? attempts[0] ?? []
    })
  }

  function compareSingle(
    direction: Direction,
    old: JsonSchema,
    next: JsonSchema,
    pointer: string,
  ): readonly SchemaBreak[] {
    const type = findTypeBreak(direction, old, next)
    if (type !== undefined) return [{ pointer, reason: type }]
    const limits = direction === 'request' ? findNarrowedLimits(old, next) : findChangedForm(old, next)
    const items =
      isSchema(old.items) && isSchema(next.items)
        ? compare({ direction, old: old.items, new: next.items }, pointer)
        : []
    return [
      ...limits.map((reason) => ({ pointer, reason })),
      ...items,
      ...compareMembers(direction, old, next, pointer),
    ]
  }

  function compareMembers(
    direction: Direction,
    old: JsonSchema,
    next: JsonSchema,
    pointer: string,
  ): readonly SchemaBreak[] {
    const [oldMembers, newMembers] = [membersOf(old), membersOf(next)]
    const own = direction === 'request' ? requestMemberBreaks(old, next) : responseMemberBreaks(old, next)
    const shared = Object.entries(oldMembers).flatMap(([name, schema]) => {
      const other = newMembers[name]
      return other ? compare({ direction, old: schema, new: other }, `${pointer}/${name}`) : []
    })
    return [...own.map(([name, reason]) => ({ pointer: `${pointer}/${name}`, reason })), ...shared]
  }
}

function alternatives(schema: JsonSchema, resolve: ResolveSchema): readonly JsonSchema[] {
  const resolved = resolve(schema)
  const { anyOf, ...beside } = resolved
  if (!Array.isArray(anyOf)) return [resolved]
  return anyOf.flatMap((one) => alternatives({ ...(one as JsonSchema), ...beside }, resolve))
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function membersOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return isSchema(properties) ? (properties as Readonly<Record<string, JsonSchema>>) : {}
}

type NamedBreak = readonly [name: string, reason: string]

function requestMemberBreaks(old: JsonSchema, next: JsonSchema): readonly NamedBreak[] {
  const removed = Object.keys(membersOf(old)).filter(
    (name) => !Object.hasOwn(membersOf(next), name) && !acceptsOther(next, name),
  )
  const required = stringsOf(next.required).filter((name) => !stringsOf(old.required).includes(name))
  return [
    ...removed.map((name): NamedBreak => [name, 'is no longer accepted']),
    ...required.map((name): NamedBreak => [name, 'is required now']),
  ]
}

/** Whether the schema accepts a member that it does not list. */
function acceptsOther({ additionalProperties, patternProperties }: JsonSchema, name: string): boolean {
  if (additionalProperties !== false) return true
  return (
    isSchema(patternProperties) &&
    Object.keys(patternProperties).some((one) => new RegExp(one, 'u').test(name))
  )
}

function responseMemberBreaks(old: JsonSchema, next: JsonSchema): readonly NamedBreak[] {
  const removed = Object.keys(membersOf(old)).filter((name) => !Object.hasOwn(membersOf(next), name))
  const optional = stringsOf(old.required).filter(
    (name) => !stringsOf(next.required).includes(name) && !removed.includes(name),
  )
  return [
    ...removed.map((name): NamedBreak => [name, 'is no longer sent']),
    ...optional.map((name): NamedBreak => [name, 'may be absent now']),
  ]
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function findTypeBreak(direction: Direction, old: JsonSchema, next: JsonSchema): string | undefined {
  const [before, after] = [typesOf(old), typesOf(next)]
  if (before.length === 0 && after.length === 0) return undefined
  const [sent, known] = direction === 'request' ? [before, after] : [after, before]
  if (known.length === 0) return undefined
  const isKnown = (type: string) => known.includes(type) || (type === 'integer' && known.includes('number'))
  if (sent.length > 0 && sent.every(isKnown)) return undefined
  return `has the type ${formatTypes(after)} instead of ${formatTypes(before)}`
}

function formatTypes(types: readonly string[]): string {
  return types.length === 0 ? 'any' : types.join(' or ')
}

function typesOf({ type, enum: values, const: value }: JsonSchema): readonly string[] {
  if (type !== undefined) return [type].flat().map(String)
  const listed = Array.isArray(values) ? values : value === undefined ? [] : [value]
  return [...new Set(listed.map((one) => (one === null ? 'null' : typeof one)))]
}

/** Keywords whose value may only grow, or only shrink, in a request. */
const upperLimits = [
  'maxLength',
  'maximum',
  'exclusiveMaximum',
  'x-maximum',
  'maxItems',
  'x-maxOctets',
  'maxProperties',
]
const lowerLimits = ['minLength', 'minimum', 'exclusiveMinimum', 'x-minimum', 'minItems', 'minProperties']

function findNarrowedLimits(old: JsonSchema, next: JsonSchema): readonly string[] {
  const narrowed = [
    ...upperLimits.filter((name) => isBeyond(old[name], next[name], (before, after) => after < before)),
    ...lowerLimits.filter((name) => isBeyond(old[name], next[name], (before, after) => after > before)),
  ].map(
    (name) =>
      `has ${name} ${String(next[name])}${old[name] === undefined ? '' : ` instead of ${String(old[name])}`}`,
  )
  const values = valuesOf(next)
  const missing = values && (valuesOf(old) ?? ['other values']).filter((value) => !values.includes(value))
  return [
    ...narrowed,
    ...(missing && missing.length > 0 ? [`no longer accepts ${missing.map(formatValue).join(', ')}`] : []),
    ...patternsOf(next).flatMap((pattern) => narrowedPattern(old, pattern) ?? []),
    ...(next.format === undefined || next.format === old.format ? [] : ['has another format']),
    ...(next.uniqueItems === true && old.uniqueItems !== true ? ['must have no repeated items now'] : []),
    ...(next['x-fixed'] === true && old['x-fixed'] !== true ? ['must be unchanged now'] : []),
  ]
}

/** All patterns that a value must match. */
function patternsOf({ pattern, allOf }: JsonSchema): readonly string[] {
  const further = Array.isArray(allOf) ? allOf.flatMap((one) => patternsOf(one as JsonSchema)) : []
  return typeof pattern === 'string' ? [pattern, ...further] : further
}

/** Why the pattern refuses what the old schema accepted; undefined: it refuses nothing of that, as far as is known. */
function narrowedPattern(old: JsonSchema, pattern: string): string | undefined {
  const refused = valuesOf(old)?.filter((value) => !new RegExp(pattern, 'u').test(String(value)))
  const losses = refused ? [refused] : patternsOf(old).map((one) => lostNames(one, pattern))
  const [known, ...others] = losses.filter((names) => names !== undefined)
  if (!known) return 'has another pattern'
  const isKept = [known, ...others].some((names) => names.length === 0)
  return isKept ? undefined : `no longer accepts ${known.map(formatValue).join(', ')}`
}

/** The names that the later of two patterns lacks; undefined where they differ in more than names, as in `^(?:project|owner)`. */
function lostNames(before: string, after: string): readonly string[] | undefined {
  const [old, next] = [splitNames(before), splitNames(after)]
  if (old.rest !== next.rest) return undefined
  return old.groups.flatMap((names, at) => names.filter((name) => !next.groups[at]?.includes(name)))
}

function splitNames(pattern: string) {
  const group = /\(\?:([A-Za-z0-9|]+)\)/g
  const groups = [...pattern.matchAll(group)].map(([, names = '']) => names.split('|'))
  return { groups, rest: pattern.replaceAll(group, '(?:)') }
}

function isBeyond(old: unknown, next: unknown, compare: (old: number, next: number) => boolean): boolean {
  if (next === undefined) return false
  return old === undefined || compare(Number(old), Number(next))
}

/** The values of a choice; undefined for other schemas. */
function valuesOf({ enum: values, const: value }: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(values)) return values
  return value === undefined ? undefined : [value]
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

/** A reader parses values by their format. */
function findChangedForm(old: JsonSchema, next: JsonSchema): readonly string[] {
  const changed = old.format !== undefined && old.format !== next.format
  return changed ? [`has the format ${String(next.format ?? 'any')} instead of ${String(old.format)}`] : []
}
