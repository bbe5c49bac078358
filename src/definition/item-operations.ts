/** Operations on built-in items: a POST to the name below the item. */

import type { BuiltInName } from './built-in-name.ts'

export type ItemOperation = 'ping' | 'rotate' | 'redeliver' | 'cancel' | 'confirm'

/** The operation that a path segment names; undefined where the items have none of this name. */
export function findItemOperation(builtIn: BuiltInName | undefined, name: string): ItemOperation | undefined {
  return operationsOf(builtIn).find((operation) => operation === name)
}

/** The operations on the items of a resource. */
export function operationsOf(builtIn: BuiltInName | undefined): readonly ItemOperation[] {
  return (builtIn && ownOperations[builtIn]) ?? []
}

const ownOperations: Partial<Record<BuiltInName, readonly ItemOperation[]>> = {
  webhooks: ['ping', 'rotate'],
  webhook_deliveries: ['redeliver'],
  jobs: ['cancel'],
  account_credentials: ['confirm'],
}
