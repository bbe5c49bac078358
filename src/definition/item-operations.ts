/** Operations on built-in items: a POST to the name below the item. */

export type ItemOperation = 'ping' | 'rotate' | 'redeliver' | 'cancel' | 'confirm'

/** The operations on the items of a built-in table. */
export interface WithOperations {
  readonly operations?: readonly ItemOperation[]
}

/** The operation that a path segment names; undefined where the items have none of this name. */
export function findItemOperation(traits: WithOperations, name: string): ItemOperation | undefined {
  return operationsOf(traits).find((operation) => operation === name)
}

/** The operations on the items of a resource. */
export function operationsOf({ operations = [] }: WithOperations): readonly ItemOperation[] {
  return operations
}
