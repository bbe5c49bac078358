/** Checks whose items the content of a POST may contain: those of the option `nested`, and one that it carries. */

import type { DeclaredTable } from '../declared-table.ts'
import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { findFileModel } from '../file-fields.ts'
import type { InverseRelation, NestedRelation, ResourceModel } from '../model.ts'
import { type CheckContext, findInverse } from './check-context.ts'

/** Fills `nested` of the model, after references are linked; reports faults of the option. */
export function linkNested(resource: ResourceModel, context: CheckContext): void {
  const { options, builtIn } = context.declarations.get(resource.name) ?? {}
  if (builtIn) linkCarried(resource, builtIn, context)
  const given = options?.nested ?? []
  if (given.length === 0) return
  const report = prefixReport("The option 'nested'", context.faults.at(resource.name))
  if (new Set(given).size < given.length) report('It names an inverse twice.', 'Name each once.')
  if (!resource.collectionMethods.has('POST')) report('It needs the method POST.', "Add 'POST' to 'methods'.")
  for (const name of new Set(given)) {
    const relation = findInverse(resource, name, { faults: context.faults, report })
    if (!relation) continue
    checkCreatable(relation, context, report)
    addNested(resource, relation)
  }
}

/** The option that declares the item has checked its names. */
function linkCarried(
  resource: ResourceModel,
  { table, carried }: DeclaredTable,
  context: CheckContext,
): void {
  if (!carried) return
  const target = context.models.get(carried.resource)
  const field = target?.fieldByName.get(carried.field)
  if (!target || !field) return
  const report = prefixReport(`${table.name}.${carried.member}`, context.faults.at())
  const relation = { kind: 'inverse', name: carried.member, target, field, isOne: true } as const
  checkCreatable(relation, context, report)
  const file = target.fields.find((one) => findFileModel(one) !== undefined)
  if (file) report(`'${file.name}' of ${target.name} is a file.`, 'Name a resource without files.')
  // The content is kept and shown as it was sent. Passwords are reported above.
  const secret = target.fields.find(({ writeOnly, kind }) => writeOnly && !kind.isHashed)
  if (secret) {
    report(`'${secret.name}' of ${target.name} is write-only.`, 'Name a resource without write-only fields.')
  }
  addNested(resource, relation)
}

function addNested(resource: ResourceModel, relation: NestedRelation): void {
  // The models are not frozen yet.
  const nested = resource.nested as NestedRelation[]
  nested.push(relation)
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
