/** Query parameters as they were sent, and the ways to refuse one: by its name, and helpfully. */

import { didYouMean } from '../definition/name-suggestion.ts'
import { parseQueryString } from '../http/query-string.ts'
import { type Refusal, refuse } from '../refusal.ts'

export type QueryParameter = readonly [name: string, value: string]

/** All parameters in their order; refuses a query that is not well encoded. */
export function parseAllParameters(query: string | undefined): readonly QueryParameter[] {
  if (query === undefined || query === '') return []
  const parameters = parseQueryString(query)
  if (!parameters) throw refuse('malformed-request', { detail: 'The query is not well encoded.' })
  return parameters
}

/** The parameters of a target that knows only these; refuses unknown and repeated ones. */
export function parseKnownParameters(
  query: string | undefined,
  known: readonly string[],
): readonly QueryParameter[] {
  const parameters = parseAllParameters(query)
  for (const [name] of parameters) {
    if (!known.includes(name)) throw unknownParameter(name, known)
  }
  valuesByName(parameters)
  return parameters
}

/** The values by name; refuses a name that is given twice. */
export function valuesByName(parameters: readonly QueryParameter[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (values.has(name)) throw invalidParameter(name, 'is given twice')
    values.set(name, value)
  }
  return values
}

/** The parameter is named, with the one that was probably meant, and all that are known here. */
export function unknownParameter(
  name: string,
  known: readonly string[],
  hint = didYouMean(name, known),
): Refusal {
  const all = known.length === 0 ? undefined : `Known are ${known.join(', ')}.`
  const advice = findSynonymAdvice(name, known) ?? hint ?? all
  return refuse('unknown-parameter', {
    detail: [`No parameter '${name}' here.`, advice].filter((part) => part !== undefined).join(' '),
    members: { parameter: name, ...(known.length > 0 && { known }) },
  })
}

/** Names that other services have for what is called otherwise here. */
const synonyms: Readonly<Record<string, readonly [ours: string, advice: string]>> = {
  page: ['after', "Follow the link 'next', or send the 'after' that is in it."],
  offset: ['after', "Follow the link 'next', or send the 'after' that is in it."],
  include: ['embed', "Use 'embed', such as embed=author."],
  order: ['sort', "Use 'sort', such as sort=-createdAt."],
  select: ['fields', "Use 'fields', such as fields=id,createdAt."],
}

function findSynonymAdvice(name: string, known: readonly string[]): string | undefined {
  const [ours = '', advice] = Object.hasOwn(synonyms, name) ? (synonyms[name] ?? []) : []
  return known.includes(ours) ? advice : undefined
}

/** Something that a parameter's value or name mentions is not there, for this caller. */
export function unknownName(parameter: string, detail: string, hint: string | undefined): Refusal {
  return refuse('unknown-parameter', {
    detail: hint === undefined ? detail : `${detail} ${hint}`,
    members: { parameter },
  })
}

export function invalidParameter(name: string, reason: string, hint?: string): Refusal {
  const detail = `The parameter '${name}' ${reason}.`
  return refuse('invalid-parameter', {
    detail: hint === undefined ? detail : `${detail} ${hint}`,
    members: { parameter: name },
  })
}

/** Names in a list, such as those of `sort` and `fields`; refuses an empty or repeated one. */
export function parseNames(parameter: string, value: string): readonly string[] {
  const names = value.split(',')
  if (names.length > maxNames) throw invalidParameter(parameter, `names more than ${maxNames}`)
  if (names.includes('')) throw invalidParameter(parameter, 'has an empty name')
  if (new Set(names).size < names.length) throw invalidParameter(parameter, 'names a field twice')
  return names
}

export const maxNames = 100
