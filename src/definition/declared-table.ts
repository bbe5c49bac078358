/** Built-in tables in one service: their fields and rules, and what else depends on the definition. */

import type { Networks } from '../http/ip-network.ts'
import type { ContentFault } from '../refusal.ts'
import type { BuiltInTable } from './built-in-table.ts'
import type { Paths } from './paths.ts'
import type { Resource } from './resource.ts'
import type { Rule } from './rule.ts'

export interface DeclaredTable {
  readonly table: BuiltInTable
  readonly resource: Resource
  /** Whose lists show an item, among those who may read it; undefined: those of all of them. */
  readonly listedFor?: Rule
  /** Whether the definition says who may use it, so that its rules need a check: the others have none, or are faults of `accounts`. */
  readonly checksRules?: boolean
  /** Whether OpenAPI documents have it; true by default. */
  readonly isDescribed?: boolean
  /** Faults of the values of an item, beside those of its fields. */
  findFaults?(
    values: Readonly<Record<string, unknown>>,
    faults: readonly ContentFault[],
  ): readonly ContentFault[]
}

/** Returns the tables of features that a service needs. */
export type DeclareTables = (settings: TableSettings) => readonly DeclaredTable[]

/** The parts of a definition that they depend on. */
export interface TableSettings {
  /** The name of the resource of the accounts; undefined for a service without accounts. */
  readonly accounts: string | undefined
  /** The rule for administrators. */
  readonly administrators: Rule
  /** The names of the declared collections. */
  readonly collections: readonly string[]
  readonly paths: Paths
  readonly hasMail: boolean
  /** Whether the definition has older versions of the interface. */
  readonly hasVersions: boolean
  /** Whether actions run in the background. */
  readonly hasJobs: boolean
  readonly hasFiles: boolean
  readonly webhooks: WebhooksSettings
  readonly invitations: InvitationsSettings
}

export interface WebhooksSettings {
  /** Who may have webhooks. */
  readonly by: Rule
  /** Whether the definition says so. */
  readonly isOwnRule: boolean
  /** Networks that webhooks may reach although they are not global. */
  readonly networks: Networks
  /** Whether the definition has the option: every service with accounts has webhooks. */
  readonly isDeclared: boolean
}

export interface InvitationsSettings {
  /** Who may invite. */
  readonly by: Rule
  /** Whether the definition says so. */
  readonly isOwnRule: boolean
  /** The roles that an invitation can name; undefined where accounts have none. */
  readonly roles: DeclaredRoles | undefined
}

/** The roles of accounts. */
export interface DeclaredRoles {
  readonly names: readonly string[]
  /** Undefined: accounts have no role by default. */
  readonly usual: string | undefined
}
