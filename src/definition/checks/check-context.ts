/** What the checks share: the models under judgement, and how a name that finds no field is told. */

import type { FaultList, FaultReport } from '../definition-fault.ts'
import type { FieldModel, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import type { ResourceDraft } from '../resource-draft.ts'

export interface CheckContext {
  readonly drafts: ReadonlyMap<string, ResourceDraft>
  readonly models: ReadonlyMap<string, ResourceModel>
  readonly faults: FaultList
  /** As far as they are sound; undefined where the service has no accounts. */
  readonly accounts: ResolvedAccounts | undefined
  /** Whether the JWTs of some issuer are believed. */
  readonly issuers: boolean
}

export interface ResolvedAccounts {
  readonly resource: ResourceModel | undefined
  readonly roles: FieldModel | undefined
  /** Whether `roles` was given at all, sound or not. */
  readonly hasRoles: boolean
  /** The values of the roles field; undefined where it is missing or has a fault of its own. */
  readonly roleNames: readonly string[] | undefined
}

/** The field, or undefined after reporting that there is none (or that it has a fault already). */
export function findField(
  resource: ResourceModel,
  name: string,
  { drafts, report }: { drafts: CheckContext['drafts']; report: FaultReport },
): FieldModel | undefined {
  const field = resource.field.get(name)
  const names = drafts.get(resource.name)?.names ?? []
  if (field === undefined && !names.includes(name)) {
    report(`No field '${name}' in ${resource.name}.`, didYouMean(name, names))
  }
  return field
}
