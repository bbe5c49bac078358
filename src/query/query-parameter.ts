/** Query parameters, and the refusals of unknown and invalid ones. */

import { didYouMean } from '../definition/name-suggestion.ts'
import { formatQueryString, parseQueryString } from '../http/query-string.ts'
import { type Refusal, refuse } from '../refusal.ts'

export type QueryParameter = readonly [name: string, value: string]

/** Asks for a dry run. Older nodes refuse it as unknown, so that none of them writes by mistake. */
export const dryRunParameter = 'dry-run'

/** Names an older version of the interface. */
export const versionParameter = 'api-version'

/** Parses all parameters in order; refuses 400 if the percent-encoding is malformed. */
export function parseAllParameters(query: string | undefined): readonly QueryParameter[] {
  if (query === undefined || query === '') return []
  const parameters = parseQueryString(query)
  if (!parameters) throw refuse('malformed-request', { detail: 'The query has malformed percent-encoding.' })
  return parameters
}

/** Parses the parameters; refuses 400 for an unknown or repeated one. */
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

/** The query without the parameter. */
export function withoutParameter(query: string | undefined, parameter: string): string | undefined {
  // A name may have escapes (RFC 3986 §6.2.2.2).
  if (!query?.includes(parameter) && !query?.includes('%')) return query
  return formatQueryString(parseAllParameters(query).filter(([name]) => name !== parameter))
}

/** The values by name; refuses 400 for a repeated name. */
export function valuesByName(parameters: readonly QueryParameter[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (values.has(name)) throw invalidParameter(name, 'is repeated')
    values.set(name, value)
  }
  return values
}

/** Creates a refusal that names the unknown parameter and suggests the nearest, or all, names. */
export function unknownParameter(
  name: string,
  known: readonly string[],
  hint = didYouMean(name, known),
): Refusal {
  const all = known.length === 0 ? undefined : `Expected: ${known.join(', ')}.`
  const advice = findSynonymAdvice(name, known) ?? hint ?? all
  return refuse('unknown-parameter', {
    detail: [`Unknown parameter '${name}'.`, advice].filter((part) => part !== undefined).join(' '),
    members: { parameter: name, ...(known.length > 0 && { known }) },
  })
}

const groupsAdvice = "Groups have a URI of their own: that of the list with '/-/aggregate' at its end."

/** Names that other services or other URIs use, with a parameter that is known where the advice helps. */
const synonyms: Readonly<Record<string, readonly [ours: string, advice: string]>> = {
  aggregate: ['after', groupsAdvice],
  'group-by': ['after', groupsAdvice],
  page: ['after', "Follow the link 'next', or send its 'after'."],
  offset: ['after', "Follow the link 'next', or send its 'after'."],
  include: ['embed', "Use 'embed', such as embed=author."],
  order: ['sort', "Use 'sort', such as sort=-createdAt."],
  select: ['fields', "Use 'fields', such as fields=id,createdAt."],
}

function findSynonymAdvice(name: string, known: readonly string[]): string | undefined {
  const [ours = '', advice] = Object.hasOwn(synonyms, name) ? (synonyms[name] ?? []) : []
  return known.includes(ours) ? advice : undefined
}

/** Creates a refusal of a name inside a parameter that does not exist for this caller. */
export function unknownName(parameter: string, detail: string, hint: string | undefined): Refusal {
  return refuse('unknown-parameter', {
    detail: hint === undefined ? detail : `${detail} ${hint}`,
    members: { parameter },
  })
}

/** Creates a refusal of a parameter's value; `reason` follows the name of the parameter. */
export function invalidParameter(name: string, reason: string, hint?: string): Refusal {
  const detail = `The parameter '${name}' ${reason}.`
  return refuse('invalid-parameter', {
    detail: hint === undefined ? detail : `${detail} ${hint}`,
    members: { parameter: name },
  })
}

/** Parses the names of a list such as `sort` or `fields`; refuses 400 for empty or repeated names. */
export function parseNames(parameter: string, value: string): readonly string[] {
  const names = value.split(',')
  if (names.length > maxNames) throw invalidParameter(parameter, `has more than ${maxNames} names`)
  if (names.includes('')) throw invalidParameter(parameter, 'has an empty name')
  if (new Set(names).size < names.length) throw invalidParameter(parameter, 'repeats a name')
  return names
}

export const maxNames = 100
