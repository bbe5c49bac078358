/** `embed=author,comments.author`: the related items to embed, as a tree. */

import type { RelationModel } from '../definition/model.ts'
import type { Condition } from '../store/condition.ts'
import { findStep, type PathStep, parseSteps, suggestPath } from './path.ts'
import { invalidParameter, parseNames, unknownName } from './query-parameter.ts'
import type { QueryableFields } from './queryable-fields.ts'

/** A relation whose items are embedded, with the items that those embed in turn. */
export interface Embed {
  readonly relation: RelationModel
  /** The rows of its target that the caller may see in it. */
  readonly condition: Condition
  readonly embeds: readonly Embed[]
}

/** The most paths; each has at most three steps. */
export const maxEmbeds = 5
/** The most items of an inverse that are embedded in an item. */
export const maxEmbeddedItems = 50

/**
 * Parses the relations to embed. Refuses a reference that the caller sees on no row, and a relation
 * to a resource that the caller may not read.
 */
export function parseEmbed(queryable: QueryableFields, value: string | undefined): readonly Embed[] {
  if (value === undefined) return []
  const paths = parseNames('embed', value)
  if (paths.length > maxEmbeds) throw invalidParameter('embed', `has more than ${maxEmbeds} relations`)
  return growTree(paths.map((path) => requireEmbeddable(queryable, path)))
}

/** Paths with the same first step share it. */
function growTree(paths: readonly (readonly PathStep[])[]): readonly Embed[] {
  const conditions = new Map<RelationModel, Condition>()
  for (const [first] of paths) if (first) conditions.set(first.relation, first.condition)
  return [...conditions].map(([relation, condition]) => {
    const further = paths.filter(([first]) => first?.relation === relation).map(([, ...rest]) => rest)
    return { relation, condition, embeds: growTree(further) }
  })
}

function requireEmbeddable(start: QueryableFields, path: string): readonly PathStep[] {
  const names = parseSteps(path)
  if ('kind' in names) throw invalidParameter('embed', names.reason)
  const steps: PathStep[] = []
  let queryable = start
  for (const [at, name] of names.entries()) {
    const step = findStep(queryable, name)
    if (!step) throw notEmbeddable(queryable, names, at)
    steps.push(step)
    queryable = step.queryable
  }
  return steps
}

function notEmbeddable(queryable: QueryableFields, names: readonly string[], at: number) {
  const { resource, rights } = queryable
  const field = resource.fieldByName.get(names[at] ?? '')
  const isVisible = field && rights.visibility.get(field)?.kind === 'always'
  if (isVisible && !field.ref) {
    return invalidParameter('embed', `has '${names.slice(0, at + 1).join('.')}', which is not a reference`)
  }
  const known = [...resource.relations.keys()].filter((name) => findStep(queryable, name))
  return unknownName('embed', `Unknown reference '${names.join('.')}'.`, suggestPath(names, at, known))
}
