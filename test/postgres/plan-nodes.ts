/** The nodes of a plan of PostgreSQL, as EXPLAIN shows it in JSON. */

export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The node and all nodes below it. */
export function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** The most rows that a node of the plan reads. */
export function mostRead(nodes: readonly PlanNode[]): number {
  const read = nodes.map((node) => {
    const removed = node['Rows Removed by Filter'] ?? 0
    return (node['Actual Rows'] + removed) * node['Actual Loops']
  })
  return Math.max(...read)
}
