/** Checks the option `unique` of a resource: sets of fields whose values no two items share. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { kindNames } from '../kinds/field-kinds.ts'
import type { FieldModel, ResourceModel } from '../model.ts'
import { formatValue } from '../option-table.ts'
import type { ValidResourceOptions } from '../resource-declaration.ts'
import { type CheckContext, findField } from './check-context.ts'

/** Reports sets that name fields wrongly, and sets that have no effect beside others. */
export function checkUniqueSets(
  resource: ResourceModel,
  options: ValidResourceOptions,
  { declarations, faults }: CheckContext,
): void {
  const report = prefixReport("The option 'unique'", faults.at(resource.name))
  const sets = options.unique ?? []
  for (const [index, names] of sets.entries()) {
    const found = names.map((name) => findField(resource, name, { declarations, report }))
    const fields = found.filter((field) => field !== undefined)
    for (const field of fields) checkKind(field, report)
    if (new Set(names).size < names.length) {
      report(`${formatValue(names)} names a field twice.`, 'Remove the duplicate.')
    } else if (names.length < 2) checkSingle(fields, names, report)
    else if (fields.length === names.length) {
      checkEffect({ names, fields, others: sets.filter((_, other) => other !== index) }, report)
    }
  }
}

function checkKind({ name, kind }: FieldModel, report: FaultReport): void {
  if (kind.order !== 'none') return
  const refused = kindNames(({ order }) => order === 'none')
  report(`'${name}' is ${kind.name}().`, `A set cannot have fields of the kinds ${refused}.`)
}

function checkSingle([field]: readonly FieldModel[], names: readonly string[], report: FaultReport): void {
  if (names.length === 0) report('A set is empty.', 'Remove it.')
  else if (field?.unique) {
    report(`'${field.name}' is already unique.`, `Remove ${formatValue(names)}.`)
  } else if (field) {
    report(`${formatValue(names)} has only one field.`, `Add .unique() to '${field.name}' instead.`)
  }
}

interface CheckedSet {
  readonly names: readonly string[]
  readonly fields: readonly FieldModel[]
  readonly others: readonly (readonly string[])[]
}

/** A set has no effect where some of its fields are unique without the others. */
function checkEffect({ names, fields, others }: CheckedSet, report: FaultReport): void {
  const unique = fields.find((field) => field.unique)
  if (unique) {
    report(`${formatValue(names)} has no effect, because '${unique.name}' is already unique.`, 'Remove it.')
  }
  const part = others.find((other) => other.length > 1 && other.every((one) => names.includes(one)))
  if (part) {
    report(`${formatValue(names)} has no effect beside ${formatValue(part)}.`, 'Remove one of them.')
  }
}
