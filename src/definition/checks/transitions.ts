/** Checks `requires`, `sets` and `exclusive` of transitions. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { isFileList } from '../file-fields.ts'
import type { FieldModel, JsonValue, ResourceModel } from '../model.ts'
import { isNow, type Now } from '../now.ts'
import { formatValue } from '../option-table.ts'
import { type CheckContext, findField } from './check-context.ts'

/** Reports the faults of all transitions of the resource. */
export function checkTransitions(resource: ResourceModel, context: CheckContext): void {
  const { declarations, faults } = context
  for (const field of resource.fields) {
    for (const { name, requires, sets, exclusive } of field.state?.transitions ?? []) {
      const report = prefixReport(`Transition '${name}'`, faults.at(resource.name, field.name))
      if (exclusive && !resource.itemMethods.has('PATCH')) {
        report(`'exclusive' needs the method PATCH.`, `Add 'PATCH' to 'methods'.`)
      }
      for (const required of requires) {
        const found = findField(resource, required, { declarations, report })
        if (found?.required) report(`'requires' has no effect on '${required}', which is not optional.`)
      }
      for (const [target, value] of sets) {
        const found = findField(resource, target, { declarations, report })
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

function checkSetting(setting: Setting, report: FaultReport): void {
  const reason = findSettingFault(setting)
  if (reason !== undefined) report(reason)
}

function findSettingFault({ resource, field, value }: Setting): string | undefined {
  const { name, kind } = field
  if (isFileList(field)) return `'sets' cannot set '${name}', which is a list of files.`
  // Their values need a transition, a lookup or hashing.
  if (field.state || field.ref || field.refs || field.file || kind.isHashed) {
    return `'sets' cannot set '${name}', which is ${kind.name}().`
  }
  if (field.immutable) return `'sets' cannot set '${name}', which is immutable.`
  if (value === null) {
    return field.required ? `'sets' cannot empty '${name}', which is required.` : undefined
  }
  if (field.unique)
    return `'sets' cannot set '${name}', which is unique: a second item could not take this transition.`
  if (isNow(value)) {
    const isTime = kind.order === 'instant' || kind.order === 'day'
    return isTime ? undefined : `now needs a timestamp or a date, and '${name}' is ${kind.name}().`
  }
  const [fault] = resource.validate({ [name]: value })
  return fault && `${formatValue(value)} is not a valid value of '${name}'. ${fault.detail}`
}
