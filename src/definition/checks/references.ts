/** Checks references between resources: targets exist, and first items can be created. */

import type { FieldModel, RefModel, RefsModel, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import type { CheckContext } from './check-context.ts'
import { mayPermitAnonymous } from './rule-audience.ts'

/** Reports the faults of all references. */
export function checkReferences(context: CheckContext): void {
  for (const resource of context.models.values()) {
    for (const field of resource.fields) {
      if (field.ref !== undefined) checkReference(resource, field, context)
      else if (field.refs !== undefined) checkTarget(resource, field, context)
    }
  }
  checkFirstItems(context)
}

function checkReference(resource: ResourceModel, field: FieldModel, context: CheckContext): void {
  const report = context.faults.at(resource.name, field.name)
  if (field.ref!.onDelete === 'clear' && field.required) {
    report("onDelete: 'clear' would empty a required field.", 'Make the field optional.')
  }
  const isKnown = checkTarget(resource, field, context)
  if (isKnown && field.fromPrincipal) checkPrincipal(resource, field, context)
}

/** Returns whether the target exists, and reports a target that cannot be referred to. */
function checkTarget(resource: ResourceModel, field: FieldModel, context: CheckContext): boolean {
  const { declarations, models, faults } = context
  const report = faults.at(resource.name, field.name)
  const reference = (field.ref ?? field.refs) as RefModel | RefsModel
  // The target may be missing while a definition is checked.
  const known = reference.resource as ResourceModel | undefined
  if (known === undefined) {
    const declaration = declarations.get(resource.name)!.fields.find(({ name }) => name === field.name)!
    const { target = '' } = declaration
    report(`Unknown collection '${target}'.`, didYouMean(target, models.keys()))
    return false
  }
  if (!known.declared && resource.declared) {
    report(`A reference to '${known.name}' is not possible: its items expire.`)
  }
  return true
}

function checkPrincipal(resource: ResourceModel, field: FieldModel, context: CheckContext): void {
  const { accounts, faults } = context
  const report = faults.at(resource.name, field.name)
  if (accounts === undefined) {
    report('fromPrincipal needs accounts, but the service declares none.')
    return
  }
  if (accounts.resource !== undefined && field.ref!.resource !== accounts.resource) {
    report(
      `fromPrincipal needs a reference to ${accounts.resource.name}, not to ${field.ref!.resource.name}.`,
      `Use ref('${accounts.resource.name}').`,
    )
  }
  if (!field.required || !mayPermitAnonymous(resource.access.create)) return
  report(
    'Callers without an account may create items, and this required field would be empty.',
    'Make it optional, or let only signedIn callers create items.',
  )
}

/** A cycle of required references makes a first item impossible. */
function checkFirstItems({ models, faults }: CheckContext): void {
  const creatable = new Set<ResourceModel | undefined>([undefined])
  const blockingFields = (resource: ResourceModel) =>
    resource.fields.filter(({ ref, required }) => ref && required && !creatable.has(ref.resource))
  for (let before = 0; before < creatable.size; ) {
    before = creatable.size
    for (const resource of models.values()) {
      if (blockingFields(resource).length === 0) creatable.add(resource)
    }
  }
  for (const resource of models.values()) {
    if (creatable.has(resource)) continue
    for (const field of blockingFields(resource)) {
      faults.at(resource.name, field.name)(
        'Required references form a cycle, so no first item could be created.',
        'Make one of them optional.',
      )
    }
  }
}
