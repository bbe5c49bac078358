/** The part of a definition that belongs to a feature: options, their checks, and the tables that it needs. */

import type { DeclaredAccounts, ValidAccountsOptions } from './checks/accounts.ts'
import type { CheckContext } from './checks/check-context.ts'
import type { DeclaredRule } from './checks/rule-of-caller.ts'
import type { DeclaredTable } from './declared-table.ts'
import type { FaultList } from './definition-fault.ts'
import type { DeclaredLogic } from './logic/parse-logic.ts'
import type { AddedAccountFacts, ResourceModel } from './model.ts'
import type { ModelParts } from './model-part.ts'
import { objectOption } from './option-table.ts'
import type { Paths } from './paths.ts'
import type { Variable } from './provider.ts'
import type { DeclaredResource } from './resource-declaration.ts'
import type { Rule } from './rule.ts'

export interface DefinitionPart {
  /** The uses of a definition that need the feature. */
  readonly options: readonly FeatureOption[]
  /** Checks its options before there are models. Also called for definitions without them. */
  declare?(declared: DeclaredService): DeclaredPart
  /** Checks its options with the accounts. */
  resolve?(resolved: ResolvedService): AddedPart
  checkResource?(resource: ResourceModel, context: CheckContext): void
}

/** The uses of features: options of the service, of its accounts and of resources, fields for files, and code. */
export type FeatureOption =
  | 'webhooks'
  | 'mail'
  | 'invitations'
  | 'signIn'
  | 'signIn.links'
  | 'signIn.providers'
  | 'accounts'
  | 'accounts.secondFactor'
  | 'accounts.signUp'
  | 'history'
  | 'files'
  | 'file()'
  | 'logic'
  | 'site'
  | 'routes'

/** A definition whose resources are declared, and whose accounts are not checked yet. */
export interface DeclaredService {
  /** The options of features, unchecked. */
  readonly options: ServiceFeatureOptions
  /** The path that all URIs begin with; may be empty. */
  readonly base: string
  /** The name of the resource of the accounts; undefined for a service without accounts. */
  readonly accounts: string | undefined
  /** The options of accounts; undefined for a service without accounts. */
  readonly accountsOptions: ValidAccountsOptions | undefined
  /** The rule for administrators. */
  readonly administrators: Rule
  readonly declarations: ReadonlyMap<string, DeclaredResource>
  /** The code of the definition, by resource. */
  readonly logic: ReadonlyMap<string, DeclaredLogic>
  /** The routes in the code of the service itself, unchecked. */
  readonly routes: unknown
  readonly paths: Paths
  readonly faults: FaultList
}

export interface ServiceFeatureOptions {
  readonly webhooks?: unknown
  readonly mail?: unknown
  readonly invitations?: unknown
  readonly signIn?: unknown
  readonly files?: unknown
  readonly site?: unknown
  /** The older versions of the interface. */
  readonly versions?: unknown
}

export interface AddedPart {
  readonly accounts?: Partial<AddedAccountFacts>
  readonly model?: ModelParts
  /** The variables of the environment that its options name. */
  readonly variables?: readonly Variable[]
  /** The rules of its operations, which have no item. They are checked when there are models. */
  readonly rules?: readonly DeclaredRule[]
}

export interface DeclaredPart extends AddedPart {
  /** The tables that the service needs. */
  readonly tables?: readonly DeclaredTable[]
}

export interface ResolvedService
  extends Pick<DeclaredService, 'options' | 'paths' | 'declarations' | 'faults'> {
  readonly accounts: DeclaredAccounts | undefined
}

/** The member of the option `signIn`, unchecked; undefined where there is none. */
export function signInOption({ signIn }: ServiceFeatureOptions, name: 'links' | 'providers'): unknown {
  return objectOption.accepts(signIn) ? signIn[name] : undefined
}

/** Reports that a collection has the path of a built-in one. */
export function reportTakenPath(faults: FaultList, name: string, reason: string): void {
  const suggestion = 'Choose another name, or move the built-in path by the option `paths`.'
  faults.at(name)(`The path /${name} is reserved: ${reason}.`, suggestion)
}
