/** Checks the fields that options of a resource name (`key`, `search`, `index`, `unique`), former names and defaults. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { kindNames } from '../kinds/field-kinds.ts'
import type { FieldModel, ResourceModel } from '../model.ts'
import { formatValue } from '../option-table.ts'
import type { ValidResourceOptions } from '../resource-declaration.ts'
import { systemFields } from '../system-fields.ts'
import { type CheckContext, findField } from './check-context.ts'
import { checkFormerName } from './names.ts'
import { checkUniqueSets } from './unique-sets.ts'

/** Reports the faults of the options of a resource that name fields, and of its fields. */
export function checkFields(resource: ResourceModel, context: CheckContext): void {
  const { options } = context.declarations.get(resource.name)!
  checkKey(resource, options, context)
  checkSearch(resource, options, context)
  checkIndexes(resource, options, context)
  checkUniqueSets(resource, options, context)
  checkBulk(resource, options, context)
  checkFormerFields(resource, context)
  for (const field of resource.fields) {
    checkDefault(field, resource, context.faults.at(resource.name, field.name))
    checkReadOnly(field, resource, context.faults.at(resource.name, field.name))
  }
}

function checkKey(
  resource: ResourceModel,
  options: ValidResourceOptions,
  { declarations, faults }: CheckContext,
): void {
  if (options.key === undefined) return
  const name = options.key
  const field = findField(resource, name, { declarations, report: inOption('key', faults, resource) })
  if (field === undefined) return
  const report = faults.at(resource.name, name)
  if (!field.kind.mayBeKey) {
    const expected = kindNames(({ mayBeKey }) => mayBeKey)
    report(`A key cannot be ${field.kind.name}().`, `Expected: ${expected}.`)
  }
  if (!field.required) report('A key cannot be optional.', 'Remove .optional().')
  if (field.writeOnly || field.visibleTo) report('A key cannot be hidden, because it is part of the URI.')
  if (field.default !== undefined && !field.refs)
    report('A key cannot have a default, because it is unique.', 'Remove .default().')
}

function inOption(option: string, faults: CheckContext['faults'], resource: ResourceModel): FaultReport {
  return prefixReport(`The option '${option}'`, faults.at(resource.name))
}

function checkSearch(resource: ResourceModel, options: ValidResourceOptions, context: CheckContext): void {
  const { declarations, faults } = context
  const names = options.search ?? []
  for (const name of new Set(names)) {
    const report = inOption('search', faults, resource)
    const field = findField(resource, name, { declarations, report })
    if (field === undefined) continue
    if (!field.kind.isText) report(`'${name}' is ${field.kind.name}(). Only text fields can be searched.`)
    if (field.visibleTo || field.writeOnly) {
      report(`'${name}' is not visible to every reader. A search would reveal its values.`)
    }
  }
  if (new Set(names).size < names.length)
    faults.at(resource.name)("The option 'search' names a field twice.", 'Remove the duplicate.')
}

function checkIndexes(resource: ResourceModel, options: ValidResourceOptions, context: CheckContext): void {
  const { declarations, faults } = context
  const report = inOption('index', faults, resource)
  const entries = options.index ?? []
  for (const [at, entry] of entries.entries()) {
    const names = [entry].flat()
    for (const name of names) {
      if (systemFields.has(name)) continue
      const field = findField(resource, name, { declarations, report })
      if (field && (field.kind.order === 'none' || field.writeOnly)) {
        report(
          `'${name}' cannot be indexed, because it is ${field.writeOnly ? 'write-only' : `${field.kind.name}()`}.`,
        )
      }
    }
    const same = entries.findIndex((other) => [other].flat().join() === names.join())
    if (names.length === 0) report('An index without fields has no effect.', 'Remove it.')
    else if (new Set(names).size < names.length) {
      report(`${formatValue(entry)} names a field twice.`, 'Name it once.')
    } else if (same < at) {
      report(`Entry ${at + 1}, ${formatValue(entry)}, is the same index as entry ${same + 1}.`, 'Remove one.')
    }
  }
}

/** Hashing is slow by design: a thousand passwords in one request would block other requests. */
function checkBulk(resource: ResourceModel, options: ValidResourceOptions, { faults }: CheckContext): void {
  const secret = resource.fields.find(({ kind, required }) => kind.isHashed && required)
  if (options.bulk !== true || secret === undefined) return
  faults.at(resource.name, secret.name)(
    "Each item needs a password, and one request cannot hash many: the resource cannot have the option 'bulk'.",
    "Add .optional() to the password, so that such items have none, or remove 'bulk'.",
  )
}

function checkFormerFields(resource: ResourceModel, { declarations, faults }: CheckContext): void {
  const present = [...declarations.get(resource.name)!.names, 'id', 'createdAt', 'updatedAt']
  const taken = new Map<string, string>()
  for (const field of resource.fields) {
    for (const name of field.formerly) {
      const names = { present, taken, owner: field.name }
      checkFormerName(name, names, faults.at(resource.name, field.name))
    }
  }
}

/** Only logic, a default, a transition or the service itself can give a read-only field its value. */
function checkReadOnly(field: FieldModel, resource: ResourceModel, report: FaultReport): void {
  const { readOnly, required, fromPrincipal } = field
  if (!readOnly || !required || fromPrincipal || field.default !== undefined) return
  // Where no request creates items, code does.
  if (resource.logic?.before.create || resource.access.create.kind === 'nobody' || !resource.declared) return
  report('No request can set a read-only field.', 'Add .default(…) or .optional().')
}

/** Reports a default that is not valid. */
export function checkDefault(field: FieldModel, resource: ResourceModel, report: FaultReport): void {
  if (field.default === undefined) return
  for (const fault of resource.validate({ [field.name]: field.default })) {
    const inside = fault.pointer.slice(field.name.length + 1)
    const position = inside === '' ? '' : ` at ${inside}`
    report(`The default ${formatValue(field.default)} is not valid${position}: ${fault.detail}`)
  }
}
