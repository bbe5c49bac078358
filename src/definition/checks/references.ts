/** References between resources: their targets exist, and items can be made in some order. */

import type { FieldModel, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import type { CheckContext } from './check-context.ts'
import { mayPermitAnonymous } from './rule-audience.ts'

export function checkReferences(context: CheckContext): void {
  for (const resource of context.models.values()) {
    for (const field of resource.fields) {
      if (field.ref !== undefined) checkReference(resource, field, context)
    }
  }
  checkFirstItems(context)
}

function checkReference(resource: ResourceModel, field: FieldModel, context: CheckContext): void {
  const { drafts, models, faults } = context
  const report = faults.at(resource.name, field.name)
  if (field.ref!.onDelete === 'clear' && field.required) {
    report("onDelete: 'clear' would leave a required field empty.", 'Make the field optional.')
  }
  if (field.ref!.resource === undefined) {
    const draft = drafts.get(resource.name)!.fields.find(({ name }) => name === field.name)!
    const target = draft.options.target as string
    report(`No collection '${target}' to refer to.`, didYouMean(target, models.keys()))
    return
  }
  if (field.ref!.resource.builtIn !== undefined && resource.builtIn === undefined) {
    report(`No item may refer to ${field.ref!.resource.name}, which come and go by themselves.`)
  }
  if (field.fromPrincipal) checkPrincipal(resource, field, context)
}

function checkPrincipal(resource: ResourceModel, field: FieldModel, context: CheckContext): void {
  const { accounts, faults } = context
  const report = faults.at(resource.name, field.name)
  if (accounts === undefined) {
    report('fromPrincipal needs accounts, and the service declares none.')
    return
  }
  if (accounts.resource !== undefined && field.ref!.resource !== accounts.resource) {
    report(
      `The caller is one of ${accounts.resource.name}, not of ${field.ref!.resource.name}.`,
      `Refer to '${accounts.resource.name}'.`,
    )
  }
  if (!field.required || !mayPermitAnonymous(resource.access.create)) return
  report(
    'Callers without an account may create items, and this field would be empty then.',
    'Make it optional, or let only signedIn callers create.',
  )
}

/** A resource whose required references lead back to itself could never get its first item. */
function checkFirstItems({ models, faults }: CheckContext): void {
  const makeable = new Set<ResourceModel | undefined>([undefined])
  const waits = (resource: ResourceModel) =>
    resource.fields.filter((f) => f.ref && f.required && !makeable.has(f.ref.resource))
  for (let before = 0; before < makeable.size; ) {
    before = makeable.size
    for (const resource of models.values()) {
      if (waits(resource).length === 0) makeable.add(resource)
    }
  }
  for (const resource of models.values()) {
    if (makeable.has(resource)) continue
    for (const field of waits(resource)) {
      faults.at(resource.name, field.name)(
        'Required references lead round in a circle: no first item could be made.',
        'Make one of them optional.',
      )
    }
  }
}
