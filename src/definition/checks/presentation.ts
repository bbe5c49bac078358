/** Checks the options of a resource that are for people: `title`, `columns`, `defaultSort`. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { type FieldModel, hasOrder, isRestricted, type ResourceModel } from '../model.ts'
import type { ValidResourceOptions } from '../resource-declaration.ts'
import { systemFields } from '../system-fields.ts'
import { parseTitle, type TitlePart } from '../title-template.ts'
import { type CheckContext, findField } from './check-context.ts'

/** Reports options that name fields wrongly. The derived fields must be linked. */
export function checkPresentation(resource: ResourceModel, context: CheckContext): void {
  const options: ValidResourceOptions = context.declarations.get(resource.name)?.options ?? {}
  const checked = (option: string): CheckedOption => ({
    resource,
    context,
    report: prefixReport(`The option '${option}'`, context.faults.at(resource.name)),
  })
  if (options.title !== undefined) checkTitle(options.title, checked('title'))
  checkColumns(options, checked('columns'))
  checkDefaultSort(resource, checked('defaultSort'))
}

interface CheckedOption {
  readonly resource: ResourceModel
  readonly context: CheckContext
  readonly report: FaultReport
}

function checkTitle(title: string, option: CheckedOption): void {
  const parts = parseTitle(title)
  if (!parts) {
    option.report(`'${title}' has braces that do not name a field.`, titleExample)
  } else if (title.includes('{')) {
    checkTemplate(parts, option)
  } else checkTitleField(title, option)
}

function checkTemplate(parts: readonly TitlePart[], option: CheckedOption): void {
  if (parts.length > maxTitleFields) {
    option.report(`It names ${parts.length} fields.`, `Name at most ${maxTitleFields}.`)
  }
  const names = parts.map(({ field, of }) => (of === undefined ? field : `${field}.${of}`))
  reportRepeated(names, option.report)
  for (const part of parts) checkTitlePart(part, option)
}

const titleExample = "Write it like '{name} · {number}'."
const maxTitleFields = 5

/** The only field of a title: an item needs a title for every reader. */
function checkTitleField(name: string, { resource, context, report }: CheckedOption): void {
  const field = findField(resource, name, { declarations: context.declarations, report })
  if (field === undefined) return
  if (!field.kind.isText) {
    report(`'${name}' is ${field.kind.name}().`, 'Name a text field.')
  }
  if (isRestricted(field)) {
    report(`'${name}' is not visible to every reader.`, 'Name a field without visibleTo and writeOnly.')
  }
}

/** A part is left out for readers who do not see it. */
function checkTitlePart({ field: name, of }: TitlePart, option: CheckedOption): void {
  const { resource, context, report } = option
  const field = findField(resource, name, { declarations: context.declarations, report })
  if (field === undefined) return
  if (of === undefined) checkShownPart(field, option)
  else if (!field.ref)
    report(`'${name}' is ${field.kind.name}().`, `Name a field of ${resource.name}, or of a ref().`)
  else {
    const target = findField(field.ref.resource, of, { declarations: context.declarations, report })
    if (target) checkShownPart(target, option)
  }
}

function checkShownPart({ name, kind, writeOnly }: FieldModel, { report }: CheckedOption): void {
  if (writeOnly) report(`'${name}' is never shown.`, 'Name another field.')
  else if (kind.reference === 'one') {
    report(`'${name}' is ${kind.name}().`, `Name a field of its item, such as '${name}.name'.`)
  } else if ((kind.shape !== 'text' && kind.shape !== 'number') || kind.reference !== 'none') {
    report(`'${name}' is ${kind.name}().`, 'Name a field with a text, a number, a date or a choice.')
  }
}

function checkColumns(
  { columns: names, derived = {} }: ValidResourceOptions,
  { resource, context, report }: CheckedOption,
): void {
  if (names?.length === 0) report('The list is empty.', 'Name a field, or remove the option.')
  reportRepeated(names ?? [], report)
  for (const name of new Set(names)) {
    if (systemFields.has(name)) continue
    if (Object.hasOwn(derived, name)) {
      const model = resource.derived.find(({ field }) => field.name === name)
      if (model?.isAlwaysShown === false) report(`Lists do not show '${name}'.`, 'Add .always() to it.')
      continue
    }
    const field = findField(resource, name, { declarations: context.declarations, report })
    if (field?.writeOnly) report(`'${name}' is never shown.`, 'Name another field.')
  }
}

function checkDefaultSort(resource: ResourceModel, { context, report }: CheckedOption): void {
  const names = resource.presentation.defaultSort.map(({ name }) => name)
  reportRepeated(names, report)
  checkSortedLength(resource, names, report)
  for (const name of new Set(names)) {
    if (name === 'id' || systemFields.has(name)) continue
    const field = findField(resource, name, { declarations: context.declarations, report })
    if (field === undefined) continue
    if (!hasOrder(field)) {
      report(`Lists cannot be sorted by '${name}', which is ${field.kind.name}().`, 'Name another field.')
    } else if (isRestricted(field)) {
      report(`'${name}' is not visible to every reader. The order would reveal its values.`)
    } else if (!field.filterable) {
      report(`Lists cannot be sorted by '${name}'.`, 'Remove .filterable(false).')
    }
  }
}

const maxSortedLength = 500

/** A cursor has the values of the last item, and a longer one does not fit into a link. */
function checkSortedLength(
  { fieldByName }: ResourceModel,
  names: readonly string[],
  report: FaultReport,
): void {
  const lengths = names.map((name) => Number(fieldByName.get(name)?.schema.maxLength ?? 0))
  const length = lengths.reduce((sum, one) => sum + one, 0)
  if (length <= maxSortedLength) return
  report(
    `Its values can have ${length} characters, which are too many for links to the next page.`,
    `Limit its fields by 'max' to ${maxSortedLength} characters together.`,
  )
}

function reportRepeated(names: readonly string[], report: FaultReport): void {
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  for (const name of new Set(repeated)) report(`'${name}' is named twice.`, 'Remove the duplicate.')
}
