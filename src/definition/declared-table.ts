/** Built-in tables in one service: their fields and rules, and what else depends on the definition. */

import type { ContentFault } from '../refusal.ts'
import type { BuiltInTable } from './built-in-table.ts'
import type { Resource } from './resource.ts'
import type { Rule } from './rule.ts'

export interface DeclaredTable {
  readonly table: BuiltInTable
  readonly resource: Resource
  /** Whose lists show an item, among those who may read it; undefined: those of all of them. */
  readonly listedFor?: Rule
  /** Whether the definition says who may use it, so that its rules need a check: the others have none, or are faults of `accounts`. */
  readonly checksRules?: boolean
  /** An item that a POST may carry, and that the service creates later. */
  readonly carried?: CarriedItem
  /** Whether OpenAPI documents have it; true by default. */
  readonly isDescribed?: boolean
  /** Faults of the values of an item, beside those of its fields. */
  findFaults?(
    values: Readonly<Record<string, unknown>>,
    faults: readonly ContentFault[],
  ): readonly ContentFault[]
}

interface CarriedItem {
  /** The member with it. */
  readonly member: string
  readonly resource: string
  /** Its reference, which the service sets. */
  readonly field: string
}
