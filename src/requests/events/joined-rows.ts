/**
 * The rows that an `exists` joins: one of its own table, and those that its condition finds by references and
 * inverses from there. A change of any of them may begin or end a match.
 */

import type { ResourceModel, RuleTargets } from '../../definition/model.ts'
import { all, type Condition, type EqualPair, type ExistsCondition, existsIn } from '../../store/condition.ts'
import { termsOf } from '../../store/sql/selective-condition.ts'

export interface JoinedRow {
  readonly table: string
  /** The row is part of a match, as far as it and the rows before it decide that. */
  readonly condition: Condition
  /** Its columns that join it to other rows. */
  readonly columns: readonly string[]
}

/**
 * Returns the rows, beginning with the one that names the caller. Each is judged together with rows before it only.
 * So where several rows of a match change at once, the first of them still matches: those before it are unchanged.
 * And a row that no row of the caller leads to does not match.
 */
export function joinedRows(resource: ResourceModel, condition: ExistsCondition): readonly JoinedRow[] {
  const { resources } = resource.ruleTargets
  const root = joinRows(resources, condition)
  const first = nodesFrom(root).find(({ terms }) => terms.some(isOfOneRow)) ?? root
  const ordered = nodesFrom(first)
  return ordered.map((node, at) => ({
    table: node.table,
    condition: conditionAmong(new Set(ordered.slice(0, at)), node),
    columns: [
      ...node.joins.flatMap(({ pairs }) => pairs.map(({ path: [column = ''] }) => column)),
      ...(node === root ? condition.pairs.map(({ column }) => column) : []),
    ],
  }))
}

/** A row and the conditions on it alone. Joins are in both directions. */
interface Node {
  readonly table: string
  readonly terms: Condition[]
  readonly joins: Join[]
}

interface Join {
  readonly to: Node
  /** From columns of this row to columns of the other one. */
  readonly pairs: readonly EqualPair[]
}

function joinRows(
  resources: RuleTargets['resources'],
  { table, of }: Pick<ExistsCondition, 'table' | 'of'>,
): Node {
  const node: Node = { table, terms: [], joins: [] }
  for (const term of termsOf('all', of)) {
    const joined = findJoined(resources.get(table), term)
    if (joined === undefined) {
      node.terms.push(term)
      continue
    }
    const to = joinRows(resources, joined)
    node.joins.push({ to, pairs: joined.pairs })
    to.joins.push({ to: node, pairs: joined.pairs.map(reversed) })
  }
  return node
}

/** The row that the condition finds by columns of this one; undefined for other conditions. */
function findJoined(resource: ResourceModel | undefined, term: Condition) {
  if (term.kind === 'exists') return term.pairs.every(({ path }) => path.length === 1) ? term : undefined
  if (term.kind !== 'reference') return undefined
  const target = resource?.fieldByName.get(term.reference)?.ref?.resource
  const pairs: readonly EqualPair[] = [{ path: [term.reference], column: '_identity' }]
  return target && { table: target.name, of: term.of, pairs }
}

function reversed({ path: [from = ''], column }: EqualPair): EqualPair {
  return { path: [column], column: from }
}

/** The node and those joined to it, nearest first. */
function nodesFrom(start: Node): readonly Node[] {
  const found = new Set([start])
  for (const node of found) {
    for (const { to } of node.joins) found.add(to)
  }
  return [...found]
}

/** Whether the term names one row, such as the account of the caller. */
function isOfOneRow(term: Condition): boolean {
  return term.kind === 'compare' && term.operator === 'eq'
}

function conditionAmong(others: ReadonlySet<Node>, node: Node, from?: Node): Condition {
  const joins = node.joins.filter(({ to }) => to !== from && others.has(to))
  return all([
    ...node.terms,
    ...joins.map(({ to, pairs }) => existsIn(to.table, conditionAmong(others, to, node), pairs)),
  ])
}
