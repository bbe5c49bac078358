/**
 * The dependencies of a list besides the values of its own rows: the rows that an `exists` rule finds, and
 * the rows at the end of references that a rule or a filter follows. When one of those changes, items
 * enter or leave the list without a change of their own, and the reader must read the list again.
 */

import type { ResourceModel } from '../../definition/model.ts'
import {
  all,
  always,
  any,
  type Condition,
  type ExistsCondition,
  equals,
  never,
  not,
  onReferenced,
} from '../../store/condition.ts'
import type { Store } from '../../store/store.ts'
import { listRows } from '../../store/table-rows.ts'
import { type JoinedRow, joinedRows } from './joined-rows.ts'
import type { LoadedEntry } from './loaded-entry.ts'
import type { RowEvaluator } from './row-evaluator.ts'

export interface Dependency {
  readonly table: string
  /** Whether the change may have changed the list. */
  isAffected(store: Store, entry: LoadedEntry): Promise<boolean>
}

/** The dependencies of the rows that satisfy the condition, and of the fields that they show. */
export function findDependencies(
  resource: ResourceModel,
  condition: Condition,
  fields: readonly Condition[],
): readonly Dependency[] {
  return [
    ...findIn(condition, { resource, path: [], list: resource, listCondition: condition }),
    ...fields.flatMap((field) =>
      findIn(field, { resource, path: [], list: resource, listCondition: all([condition, field]) }),
    ),
  ]
}

/** Where a condition occurs: at the end of a path from the rows of the list. */
interface ConditionOccurrence {
  readonly resource: ResourceModel
  readonly path: readonly string[]
  readonly list: ResourceModel
  /** The condition on rows of the list that it is part of. */
  readonly listCondition: Condition
  /** The part of `listCondition` that follows a reference and contains it. */
  readonly enclosingPart?: Condition
}

function findIn(condition: Condition, occurrence: ConditionOccurrence): readonly Dependency[] {
  const part = occurrence.enclosingPart ?? condition
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.flatMap((one) => findIn(one, occurrence))
    case 'not':
      return findIn(condition.of, occurrence)
    case 'compare':
      return alongPath(part, condition.path, occurrence, (path) => hasOtherResult({ ...condition, path }))
    case 'equal-columns':
      return condition.paths.flatMap((path) => alongPath(part, path, occurrence, isOtherValue))
    case 'reference': {
      const next = follow(occurrence, condition.reference)
      if (!next) return []
      const inner = findIn(condition.of, { ...next, enclosingPart: part })
      return [affectedBy(part, next, hasOtherResult(condition.of)), ...inner]
    }
    case 'exists':
      return findInExists(condition, occurrence)
    default:
      return []
  }
}

/** The rows that a path leads through, each with the rest of the path. */
function alongPath(
  part: Condition,
  [name = '', ...rest]: readonly string[],
  occurrence: ConditionOccurrence,
  isChanged: (rest: readonly string[]) => IsChanged,
): readonly Dependency[] {
  const next = rest.length === 0 ? undefined : follow(occurrence, name)
  if (!next) return []
  return [affectedBy(part, next, isChanged(rest)), ...alongPath(part, rest, next, isChanged)]
}

function follow(
  { resource, path, ...rest }: ConditionOccurrence,
  name: string,
): ConditionOccurrence | undefined {
  const field = resource.fieldByName.get(name)
  const target = (field?.ref ?? field?.refs)?.resource
  return target && { ...rest, resource: target, path: [...path, name] }
}

/** Whether the values of a changed row matter, before and after. */
type IsChanged = (entry: LoadedEntry) => Promise<boolean>

function hasOtherResult(condition: Condition): IsChanged {
  return async ({ before, after }) =>
    (await isTrueFor(before, condition)) !== (await isTrueFor(after, condition))
}

function isOtherValue([name = '']: readonly string[]): IsChanged {
  return async (entry) => !isSameValue(entry, name)
}

function isSameValue({ resource, before, after }: LoadedEntry, name: string): boolean {
  const index = resource.fieldByName.get(name)?.index
  if (index === undefined) return before !== undefined && after !== undefined
  return before?.values[index] === after?.values[index]
}

async function isTrueFor(row: RowEvaluator | undefined, condition: Condition): Promise<boolean> {
  return row !== undefined && (await row.isTrue(condition))
}

/**
 * Affected where the changed row matters to a row of the list: a row that leads to it, and for which
 * the part decides whether it belongs to the list. So the change of a row that leads to no visible
 * item is not noticed.
 */
function affectedBy(
  part: Condition,
  { resource, path, list, listCondition }: ConditionOccurrence,
  isChanged: IsChanged,
): Dependency {
  const [ifTrue, ifFalse] = [always, never].map((value) => substitute(listCondition, part, value)) as [
    Condition,
    Condition,
  ]
  const isDecisive = any([all([ifTrue, not(ifFalse)]), all([ifFalse, not(ifTrue)])])
  return {
    table: resource.name,
    async isAffected(store, entry) {
      if (isDecisive.kind === 'never' || !(await isChanged(entry))) return false
      const rows = await listRows(store, list, {
        condition: all([leadsTo(path, entry.entry.identity), isDecisive]),
        limit: 1,
      })
      return rows.length > 0
    },
  }
}

/** Whether the path, over references and sets of references, leads to the row. */
function leadsTo(path: readonly string[], identity: string): Condition {
  return path.reduceRight((of, name) => onReferenced(name, of), equals(['_identity'], identity))
}

/** The condition with the value in place of the part. */
function substitute(condition: Condition, part: Condition, value: Condition): Condition {
  if (condition === part) return value
  switch (condition.kind) {
    case 'all':
      return all(condition.of.map((one) => substitute(one, part, value)))
    case 'any':
      return any(condition.of.map((one) => substitute(one, part, value)))
    case 'not':
      return not(substitute(condition.of, part, value))
    default:
      return condition
  }
}

/** The rows that match for the caller, and the rows along the paths to them. */
function findInExists(condition: ExistsCondition, occurrence: ConditionOccurrence): readonly Dependency[] {
  const part = occurrence.enclosingPart ?? condition
  const paths = condition.pairs.flatMap(({ column, path }) =>
    alongPath(part, path, occurrence, (rest) => isOtherMatch(condition, { column, path: rest })),
  )
  return [...joinedRows(occurrence.resource, condition).map(affectedByJoined), ...paths]
}

function affectedByJoined({ table, condition, columns }: JoinedRow): Dependency {
  return {
    table,
    async isAffected(_store, entry) {
      const [was, is] = [await isTrueFor(entry.before, condition), await isTrueFor(entry.after, condition)]
      const isSame = was && is && columns.every((column) => isSameValue(entry, column))
      return (was || is) && !isSame
    },
  }
}

/**
 * Whether the row has another value at the beginning of the path, and one of both leads to a match for
 * the caller. So the change of a row that leads to rows of other callers is not noticed.
 */
function isOtherMatch(condition: ExistsCondition, pair: ExistsCondition['pairs'][number]): IsChanged {
  const match: Condition = { ...condition, pairs: [pair] }
  return async (entry) =>
    !isSameValue(entry, pair.path[0] ?? '') &&
    ((await isTrueFor(entry.before, match)) || (await isTrueFor(entry.after, match)))
}
