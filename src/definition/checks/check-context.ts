/** The data that all checks of a definition share, and the lookup of a field by name. */

import type { FaultList, FaultReport } from '../definition-fault.ts'
import type { FieldModel, InverseRelation, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import type { DeclaredResource } from '../resource-declaration.ts'

export interface CheckContext {
  readonly declarations: ReadonlyMap<string, DeclaredResource>
  readonly models: ReadonlyMap<string, ResourceModel>
  readonly faults: FaultList
  /** The parts without faults; undefined for a service without accounts. */
  readonly accounts: ResolvedAccounts | undefined
  /** Whether the service trusts an issuer of JWTs. */
  readonly issuers: boolean
}

export interface ResolvedAccounts {
  readonly resource: ResourceModel | undefined
  readonly roles: FieldModel | undefined
  /** Whether the option `roles` is present, valid or not. */
  readonly hasRoles: boolean
  /** The values of the roles field; undefined when it is missing or has a fault. */
  readonly roleNames: readonly string[] | undefined
}

/**
 * Returns the field, or undefined after reporting an unknown name. A field with a fault is not reported again.
 * `otherNames` are suggested besides the fields.
 */
export function findField(
  resource: ResourceModel,
  name: string,
  { declarations, report }: { declarations: CheckContext['declarations']; report: FaultReport },
  otherNames: readonly string[] = [],
): FieldModel | undefined {
  const field = resource.fieldByName.get(name)
  const names = declarations.get(resource.name)?.names ?? []
  if (field === undefined && !names.includes(name)) {
    const suggestion = didYouMean(name, [...names, ...otherNames]) ?? `Its fields: ${[...names].join(', ')}.`
    report(`Unknown field '${name}' in ${resource.name}.`, suggestion)
  }
  return field
}

/** Returns the inverse, or undefined after reporting an unknown name. */
export function findInverse(
  resource: ResourceModel,
  given: unknown,
  { faults, report }: { readonly faults: FaultList; readonly report: FaultReport },
): InverseRelation | undefined {
  const relation = resource.relations.get(String(given))
  if (relation?.kind === 'inverse') return relation
  // A reference with a fault has no inverse, and its own fault is reported.
  if (faults.list.some((fault) => fault.field !== undefined && fault.resource !== resource.name))
    return undefined
  const inverses = [...resource.relations.values()].filter(({ kind }) => kind === 'inverse')
  const names = inverses.map(({ name }) => name)
  const hint = `Declare it on the reference: ref('${resource.name}', { inverse: '${String(given)}' }).`
  report(`${resource.name} has no inverse '${String(given)}'.`, didYouMean(String(given), names) ?? hint)
  return undefined
}
