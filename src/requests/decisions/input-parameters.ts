/** The parameters of a query that the definition declares: the members of its input, as texts. */

import type { JsonValue, ResourceModel } from '../../definition/model.ts'
import { parseFormMembers } from '../../formats/form-reader.ts'
import { invalidParameter, parseAllParameters, unknownParameter } from '../../query/query-parameter.ts'
import { Refusal, refuse } from '../../refusal.ts'

/** The members that the parameters have. Refuses 400 for unknown, repeated and malformed ones. `others` are ignored. */
export async function parseInputParameters(
  input: ResourceModel,
  query: string | undefined,
  others: readonly string[],
): Promise<Readonly<Record<string, JsonValue | undefined>>> {
  const seen = new Set<string>()
  const pairs = parseAllParameters(query).filter(([name]) => {
    const field = input.fieldByName.get(name.replace(/\[\]$/, ''))
    const isList = field?.kind.shape === 'list'
    if (!others.includes(name) && field?.name !== name && !isList) {
      throw unknownParameter(name, [...input.fieldByName.keys(), ...others])
    }
    if (seen.has(name) && !isList) throw invalidParameter(name, 'is repeated')
    seen.add(name)
    return !others.includes(name)
  })
  return refusedAsParameters(async () => parseFormMembers(pairs, { resource: input, patch: false }))
}

/** The result of the work. What it refuses as content is refused as parameters: 400 with all faults. */
export async function refusedAsParameters<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.type !== 'invalid-content') throw error
    const { errors = [], detail } = error.options
    const [first] = errors
    const name = first?.pointer.split('/')[1]
    const reason = name ? `The parameter '${name}': ${first?.detail}` : detail
    throw refuse('invalid-parameter', {
      ...(first && { errors }),
      ...(reason !== undefined && { detail: reason }),
      ...(name && { members: { parameter: name } }),
      cause: error,
    })
  }
}
