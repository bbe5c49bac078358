/**
 * Paths such as `project.name` and `tasks.assignee`: relations to follow from an item, resolved for a
 * caller. Hidden names are refused exactly like unknown names, so that they cannot be detected.
 */

import { derivedValueFor } from '../access/derived-value.ts'
import { readableThrough } from '../access/sub-collection-rights.ts'
import type { RelationModel } from '../definition/model.ts'
import { findNearestName } from '../definition/name-suggestion.ts'
import { maxPathSteps, splitPath } from '../definition/rule.ts'
import { presentName } from '../definition/version-names.ts'
import { all, type Condition, type DerivedValue, never, onRelated } from '../store/condition.ts'
import { type Attribute, idAttribute, type QueryableFields, type ValueAttribute } from './queryable-fields.ts'

/** A relation to follow. */
export interface PathStep {
  readonly relation: RelationModel
  /** The fields of its target. */
  readonly queryable: QueryableFields
  /** The rows of the target that the caller may reach by it. */
  readonly condition: Condition
}

/** A path that ends in a value. */
export interface ValuePath {
  readonly steps: readonly PathStep[]
  readonly attribute: ValueAttribute
  /** How the store computes a derived field. */
  readonly derived: DerivedValue | undefined
}

export interface TooManySteps {
  readonly kind: 'too-many-steps'
  /** Follows the name of the parameter. */
  readonly reason: string
}

export interface UnknownPathName {
  readonly kind: 'unknown-name'
  readonly hint: string | undefined
  /** The paths that would be valid. */
  readonly known: readonly string[]
}

/** Splits a path; a fault where it has too many steps. */
export function parseSteps(path: string): readonly string[] | TooManySteps {
  const names = splitPath(path)
  if (names.length <= maxPathSteps) return names
  const reason = `has the path '${path}' of ${names.length} steps. A path has at most ${maxPathSteps}`
  return { kind: 'too-many-steps', reason }
}

/**
 * Resolves a path to a value. An inverse at its end counts as the ids of its items. `otherNames` are
 * suggested besides the fields.
 */
export function resolveValuePath(
  start: QueryableFields,
  names: readonly string[],
  otherNames: readonly string[] = [],
): ValuePath | UnknownPathName {
  const steps: PathStep[] = []
  let queryable = start
  for (const [depth, name] of names.entries()) {
    const attribute = queryable.attributes.get(name)
    const isLast = depth === names.length - 1
    if (attribute && isLast) return { steps, attribute, derived: findDerived(attribute, queryable) }
    const step = findStep(queryable, name)
    if (!step || !isComparable(step, attribute)) {
      const own = attribute ? [] : comparableNames(queryable)
      return unknownName(names, depth, names.length === 1 ? [...own, ...otherNames] : own)
    }
    steps.push(step)
    if (isLast) return { steps, attribute: inverseAttribute(step), derived: undefined }
    queryable = step.queryable
  }
  throw new Error('A path has at least one name')
}

function findDerived({ derivedField }: Attribute, { caller }: QueryableFields): DerivedValue | undefined {
  return derivedField && derivedValueFor(derivedField, caller)
}

/** The step along a relation; undefined where the relation does not exist for the caller. */
export function findStep(from: QueryableFields, name: string): PathStep | undefined {
  const { resource, rights, version } = from
  const present = version ? presentName(version, resource, name) : name
  const relation = resource.relations.get(present ?? '')
  if (!relation) return undefined
  const queryable = from.of(relation.target)
  if (relation.kind === 'inverse') {
    const condition = readableThrough(relation, queryable.rights)
    return condition.kind === 'never' ? undefined : { relation, queryable, condition }
  }
  const { read } = queryable.rights
  const isHidden = (rights.visibility.get(relation.field) ?? never).kind === 'never'
  return isHidden || read.kind === 'never' ? undefined : { relation, queryable, condition: read }
}

/** A reference, or a set of them, must be visible on every item, as every field that values are compared by. */
function isComparable({ relation }: PathStep, attribute: Attribute | undefined): boolean {
  return relation.kind === 'inverse' || attribute !== undefined
}

function inverseAttribute({ relation }: PathStep): ValueAttribute {
  return { ...idAttribute(relation.target), name: relation.name, kind: 'inverse', isTotalOrder: false }
}

function unknownName(
  names: readonly string[],
  depth: number,
  candidates: readonly string[],
): UnknownPathName {
  const known = candidates.map((name) => [...names.slice(0, depth), name].join('.'))
  return { kind: 'unknown-name', hint: suggestPath(names, depth, candidates), known }
}

/** Suggests the path with the unknown name replaced by the nearest candidate. */
export function suggestPath(
  names: readonly string[],
  depth: number,
  candidates: readonly string[],
): string | undefined {
  const near = findNearestName(names[depth] ?? '', candidates)
  return near === undefined ? undefined : `Did you mean '${names.with(depth, near).join('.')}'?`
}

/** The names of fields and inverses that the caller may filter by. */
export function comparableNames(queryable: QueryableFields): readonly string[] {
  const fields = [...queryable.attributes.values()].filter(({ filterable }) => filterable)
  const inverses = [...queryable.resource.relations.values()].filter(
    ({ kind, name, field }) => kind === 'inverse' && field.filterable && findStep(queryable, name),
  )
  return [...fields, ...inverses].map(({ name }) => name)
}

/** True where the steps lead to an item on which the condition is true. */
export function conditionAlongSteps(steps: readonly PathStep[], condition: Condition): Condition {
  return steps.reduceRight(
    (of, { relation, condition: reachable }) => onRelated(relation, all([reachable, of])),
    condition,
  )
}
