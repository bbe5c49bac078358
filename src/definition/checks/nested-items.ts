/** Checks the option `nested`: the inverses whose items a POST may create together with the item. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import type { InverseRelation, ResourceModel } from '../model.ts'
import { type CheckContext, findInverse } from './check-context.ts'

/** Fills `nested` of the model, after references are linked; reports faults of the option. */
export function linkNested(resource: ResourceModel, context: CheckContext): void {
  const given = context.declarations.get(resource.name)?.options.nested ?? []
  if (given.length === 0) return
  const report = prefixReport("The option 'nested'", context.faults.at(resource.name))
  if (new Set(given).size < given.length) report('It names an inverse twice.', 'Name each once.')
  if (!resource.collectionMethods.has('POST')) report('It needs the method POST.', "Add 'POST' to 'methods'.")
  for (const name of new Set(given)) {
    const relation = findInverse(resource, name, { faults: context.faults, report })
    if (!relation) continue
    checkCreatable(relation, context, report)
    // The models are not frozen yet.
    const nested = resource.nested as InverseRelation[]
    nested.push(relation)
  }
}

function checkCreatable(
  { name, target, field }: InverseRelation,
  { accounts }: CheckContext,
  report: FaultReport,
): void {
  if (!target.declared || target === accounts?.resource) {
    report(`The items of '${name}' (${target.name}) are created alone.`, `Remove '${name}'.`)
    return
  }
  const items = `the items of '${name}' (${target.name})`
  if (!target.collectionMethods.has('POST')) {
    report(`No request creates ${items}.`, `Add 'POST' to 'methods' of ${target.name}.`)
  }
  if (target.access.create.kind === 'nobody') {
    report(`No caller may create ${items}.`, `Declare who may: access: { create: … } of ${target.name}.`)
  }
  if (field.readOnly || field.fromPrincipal) {
    report(`No request sets '${field.name}' of ${items}.`, 'Remove .readOnly() or .fromPrincipal() from it.')
  }
  const secret = target.fields.find(({ kind }) => kind.isHashed)
  if (secret) {
    // Hashing is slow by design: a thousand passwords in one request would block other requests.
    report(`'${secret.name}' of ${items} is a password.`, 'Create these items alone.')
  }
}
