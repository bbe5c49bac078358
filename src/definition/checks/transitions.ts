/** What transitions require and set: fields of the resource, and values they can have; `exclusive` needs PATCH. */

import type { FaultReport } from '../definition-fault.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../model.ts'
import { isNow, type Now } from '../now.ts'
import { formatValue } from '../option-table.ts'
import { type CheckContext, findField } from './check-context.ts'

export function checkTransitions(resource: ResourceModel, context: CheckContext): void {
  const { drafts, faults } = context
  for (const field of resource.fields) {
    for (const { name, requires, sets, exclusive } of field.state?.transitions ?? []) {
      const told = faults.at(resource.name, field.name)
      const report: FaultReport = (reason, suggestion) =>
        told(`Transition '${name}': ${reason}`, suggestion)
      if (exclusive && !resource.itemMethods.has('PATCH')) {
        report(`'exclusive' is about PATCH, and '${resource.name}' does not offer that method.`)
      }
      for (const required of requires) {
        const found = findField(resource, required, { drafts, report })
        if (found?.required) report(`'${required}' is always there, so requiring it says nothing.`)
      }
      for (const [target, value] of sets) {
        const found = findField(resource, target, { drafts, report })
        if (found) checkSetting({ resource, field: found, value }, report)
      }
    }
  }
}

interface Setting {
  readonly resource: ResourceModel
  readonly field: FieldModel
  readonly value: Now | JsonValue
}

/** Kinds that a body sets in ways of their own: by transition, by finding, by hashing. */
const unsettable = ['state', 'ref', 'password']

function checkSetting(setting: Setting, report: FaultReport): void {
  const reason = findSettingFault(setting)
  if (reason !== undefined) report(reason)
}

function findSettingFault({ resource, field, value }: Setting): string | undefined {
  const { name, kind } = field
  if (unsettable.includes(kind)) return `'sets' cannot write '${name}', which is a ${kind}.`
  if (value === null) {
    return field.required ? `'sets' would empty '${name}', which is required.` : undefined
  }
  if (field.unique) return `'${name}' is unique, so no two items could take this transition.`
  if (isNow(value)) {
    const moment = kind === 'timestamp' || kind === 'date'
    return moment ? undefined : `now is a moment, and '${name}' is of the kind ${kind}.`
  }
  const [fault] = resource.validate({ [name]: value })
  return fault && `${formatValue(value)} is no value of '${name}'. ${fault.detail}`
}
