/** One input of a form: label, control, help and faults. */

import { fieldPointer } from '../../definition/carried-fields.ts'
import { currentPassword } from '../../definition/current-password.ts'
import type { FileValue } from '../../definition/field.ts'
import { declaredChoices } from '../../definition/field-choices.ts'
import { cleanText } from '../../definition/kinds/text.ts'
import type { FieldModel, JsonValue } from '../../definition/model.ts'
import { isNumber, writeNumber } from '../../formats/written-number.ts'
import type { ContentFault } from '../../refusal.ts'
import type { Input } from '../../views/hypermedia-controls.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { fieldLabel, formatLabel } from '../markup/field-label.ts'
import { html, type Markup, type MarkupPart } from '../markup/markup.ts'
import { pageLanguage, phrase, translateText } from '../page-language.ts'
import { fieldHelp } from './field-help.ts'
import { type ControlContext, checkboxes, type FormEntry } from './form-entry.ts'
import { offerOf, referenceControl, referenceSetControl } from './reference-control.ts'
import { tokenControl, tokenHelp } from './token-markup.ts'

/** The control of an input; a hidden one if its value is fixed. */
export function formControl(layout: PageLayout, input: Input, entry: FormEntry): Markup {
  const { field, fixed } = input
  if (fixed) return hiddenControl(input)
  const id = controlId(entry.prefix, field)
  // The person knows the values that browsers fill in.
  const ownHelp = input.autocomplete === undefined ? (tokenHelp(layout, field) ?? fieldHelp(field)) : ''
  const help = [linesNote(layout, input), ownHelp, entry.note ?? ''].filter((one) => one !== '').join(' ')
  const faults = entry.faults.filter(({ pointer }) => isAt(pointer, field.name))
  const described = [help && `${id}-help`, faults.length > 0 && `${id}-fault`].filter(Boolean)
  const attributes = html`${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}${faults.length > 0 && html` aria-invalid="true"`}${isRequiredByBrowser(input) && html` required`}`
  const context: ControlContext = { layout, input, id, attributes, values: controlValues(input, entry.sent) }
  return html`<div class="field${faults.length > 0 && ' faulty'}">
<label for="${id}">${fieldLabel(field)}${!input.required && html` <small>optional</small>`}</label>
${controlElement(context)}
${help !== '' && html`<p class="help" id="${id}-help">${help}</p>`}
${faults.length > 0 && html`<p class="fault" id="${id}-fault">${faults.map(faultText).join(' ')}</p>`}
</div>`
}

/** The id of the control. Without a prefix it is the name, on pages with one form. */
export function controlId(prefix: string, { name }: FieldModel): string {
  return prefix === '' ? name : `${prefix}-${name}`
}

/** How to fill in a control of several lines, or one with a search. */
function linesNote(layout: PageLayout, input: Input): string {
  const { kind, item } = input.field
  if (kind.reference !== 'none') return referenceNote(layout, input)
  return item && !item.file && !findOptions(item) ? phrase`One per line.` : ''
}

function referenceNote(layout: PageLayout, input: Input): string {
  const offer = offerOf({ layout, input })
  if (offer === 'all' || input.choices) return ''
  return input.field.refs && offer === 'none' ? phrase`One ID per line.` : phrase`The ID of the item.`
}

/** Whether the fault is in the field or in a part of it. */
export function isAt(pointer: string, name: string): boolean {
  const place = fieldPointer(name)
  return pointer === place || pointer.startsWith(`${place}/`)
}

function faultText({ pointer, detail }: ContentFault): string {
  const [, , lineIndex] = pointer.split('/')
  return lineIndex !== undefined && /^\d+$/.test(lineIndex)
    ? phrase`Line ${Number(lineIndex) + 1}: ${translateText(detail)}`
    : translateText(detail)
}

/** Browsers refuse an empty required control, but an empty text may be a valid value. */
function isRequiredByBrowser({ field, required, isPart, value }: Input): boolean {
  if (!required || isPart || field.kind.shape === 'list') return false
  if (field.file) return value === undefined
  if (!field.kind.isText) return true
  const { minLength = 0, pattern } = field.schema
  return Number(minLength) > 0 || !new RegExp(String(pattern), 'u').test('')
}

function controlElement(context: ControlContext): Markup {
  const { input, values } = context
  const { field, choices } = input
  const ofToken = tokenControl(context)
  if (ofToken) return ofToken
  const options = choices ?? findOptions(field)
  if (options && !field.item) return select(context, options)
  switch (field.kind.shape) {
    case 'list':
      if (field.refs) return referenceSetControl(context) ?? idLines(context)
      return field.item?.file ? fileListControl(context) : listControl(context)
    case 'json':
      return jsonControl(context)
    case 'file':
      return fileControl(context)
    default:
      if (field.ref) return referenceControl(context) ?? textInput(context, inputType(input))
      return field.kind.isText && isLong(field, values)
        ? textArea(context, 8)
        : textInput(context, inputType(input))
  }
}

/** Several values are sent under one name; the empty one makes a list without values a list. */
function hiddenControl({ field, value }: Input): Markup {
  if (Array.isArray(value)) {
    const values = ['', ...value.map((one) => formatControlValue(one, field.item))]
    return html`${values.map((one) => html`<input type="hidden" name="${field.name}[]" value="${one}">`)}`
  }
  return html`<input type="hidden" name="${field.name}" value="${formatControlValue(value, field)}">`
}

/** The hidden input keeps the present file where no other one is chosen. */
function fileControl({ input, id, attributes }: ControlContext): Markup {
  const { field, value } = input
  const kept = value !== undefined && hiddenControl(input)
  return html`${kept}<input id="${id}" name="${field.name}" type="file" accept="${field.file?.types.join(',')}"${attributes}>`
}

/** A checkbox for each present file, which stays if it is checked, and an input for new ones. */
function fileListControl({ input, id, attributes }: ControlContext): Markup {
  const { field, value } = input
  const files = (Array.isArray(value) ? value : []) as readonly FileValue[]
  const kept = files.map(
    (file) =>
      html`<label class="box"><input type="checkbox" name="${field.name}[]" value="${formatControlValue({ ...file })}" checked> ${file.name}</label>`,
  )
  const boxes =
    kept.length > 0 &&
    html`<div class="boxes" role="group" aria-label="Keep ${fieldLabel(field)}"><input type="hidden" name="${field.name}[]" value="">${kept}</div>`
  return html`${boxes}<input id="${id}" name="${field.name}" type="file" multiple accept="${field.item?.file?.types.join(',')}"${attributes}>`
}

function findOptions(field: FieldModel): readonly JsonValue[] | undefined {
  return field.kind.shape === 'boolean' ? [true, false] : declaredChoices(field)
}

function inputType({ field, autocomplete }: Input): Markup {
  const { input, isText, isHashed } = field.kind
  if (isHashed) {
    const purpose = autocomplete ?? (field === currentPassword ? 'current-password' : 'new-password')
    return html`type="password" autocomplete="${purpose}"${purpose === 'new-password' && lengthAttributes(field)}`
  }
  if (autocomplete !== undefined) {
    // The page of the second step asks for nothing else.
    const isCode = autocomplete === 'one-time-code'
    return html`type="${input.type}" autocomplete="${autocomplete}" autocapitalize="off" spellcheck="false"${isCode && html` autofocus`}`
  }
  if (isText) return html`type="text"${lengthAttributes(field)}${patternAttribute(field)} dir="auto"`
  const attributes = Object.entries(input.attributes(field))
  // A browser would refuse the decimal sign of another language than its own.
  if (isNumber(field))
    return html`type="text" inputmode="${field.schema.type === 'integer' ? 'numeric' : 'decimal'}"`
  return html`type="${input.type}"${attributes.map(([name, value]) => html` ${name}="${value}"`)}`
}

function textInput({ input, id, attributes, values }: ControlContext, type: Markup): Markup {
  const { field } = input
  const value = !field.kind.isHashed && html` value="${values[0] ?? ''}"`
  return html`<input id="${id}" name="${field.name}" ${type}${value}${attributes}>`
}

function textArea({ input, id, attributes, values }: ControlContext, rows: number): Markup {
  // HTML ignores the first line break after the tag.
  const limits = input.field.kind.isText && lengthAttributes(input.field)
  return html`<textarea id="${id}" name="${input.field.name}" rows="${rows}" dir="auto"${limits}${attributes}>
${values[0] ?? ''}</textarea>`
}

/** The schema is beside the text, so that people see which values are valid. */
function jsonControl(context: ControlContext): Markup {
  const { schema } = context.input.field
  if (Object.keys(schema).length === 0) return textArea(context, 6)
  return html`<div class="json-editor">${textArea(context, 10)}<details class="schema" open><summary>JSON Schema</summary><pre tabindex="0"><code>${JSON.stringify(schema, null, 2)}</code></pre></details></div>`
}

/** One line for each item; if an item has line breaks or outer spaces, one textarea for each. */
function listControl(context: ControlContext): Markup {
  const { input, id, values } = context
  const { field } = input
  const options = field.item && findOptions(field.item)
  if (options)
    return checkboxes(
      context,
      options.map((one) => [String(one), formatLabel(String(one))]),
    )
  if (values.every((one) => !/[\r\n]/.test(one) && one.trim() === one && one !== '')) {
    const rows = Math.min(8, Math.max(3, values.length + 1))
    return textArea({ ...context, values: [values.join('\n')] }, rows)
  }
  const areas = [...values, ''].map(
    (
      one,
      index,
    ) => html`<textarea ${index === 0 && html`id="${id}" `}name="${field.name}[]" rows="2" aria-label="${fieldLabel(field)}, item ${index + 1}">
${one}</textarea>`,
  )
  return html`<div class="areas">${areas}</div>`
}

/** A set of references whose items the caller cannot list. */
function idLines(context: ControlContext): Markup {
  const { values } = context
  const rows = Math.min(8, Math.max(3, values.length + 1))
  return textArea({ ...context, values: [values.join('\n')] }, rows)
}

function select({ input, id, attributes, values }: ControlContext, options: readonly JsonValue[]): Markup {
  const { field, required } = input
  const chosen = values[0]
  const open = !required || chosen === undefined || chosen === ''
  const items = options.map((option) => {
    const text = formatControlValue(option, field)
    const shown = field.kind.shape === 'boolean' ? (option ? phrase`Yes` : phrase`No`) : formatLabel(text)
    return html`<option value="${text}"${text === chosen && html` selected`}>${shown}</option>`
  })
  return html`<select id="${id}" name="${field.name}"${attributes}>${open && html`<option value="">—</option>`}${items}</select>`
}

/** Long texts and texts with line breaks need a textarea. */
function isLong({ schema }: FieldModel, values: readonly string[]): boolean {
  const { maxLength, pattern } = schema
  if (values.some((one) => /[\r\n]/.test(one))) return true
  return typeof maxLength === 'number' && maxLength > 300 && pattern === cleanText
}

/** The values of the control: those that were sent, else the value of the input. */
export function controlValues(
  { field, value }: Input,
  sent: readonly string[] | undefined,
): readonly string[] {
  const { shape, isHashed, input } = field.kind
  const isSeveral = shape === 'list'
  if (sent) return isSeveral ? sent.flatMap((one) => one.split(/\r?\n/)).filter(Boolean) : sent
  if (value === undefined || isHashed) return []
  if (shape === 'json') return [JSON.stringify(value, null, 2)]
  if (Array.isArray(value)) return value.map((one) => formatControlValue(one, field.item))
  // The control has no time zone; its help says that it is UTC. Browsers leave out seconds of 0.
  if (input.type === 'datetime-local') return [String(value).replace(/(:00)?(\.000)?Z$/, '')]
  return [formatControlValue(value, field)]
}

/** The text of the value, with the decimal sign of the page in numbers. */
function formatControlValue(value: JsonValue | undefined, field?: FieldModel): string {
  if (value === undefined) return ''
  if (field && isNumber(field)) return writeNumber(String(value), pageLanguage().decimalSign)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** The script shows how many characters are left, and lets longer texts be shortened by hand. */
function lengthAttributes({ schema }: FieldModel): MarkupPart {
  const { minLength, maxLength } = schema
  return html`${Number(minLength) > 0 && limitAttribute('minlength', minLength)}${limitAttribute('maxlength', maxLength)}`
}

/** Browsers compile the pattern with the flag `v` and match it with the whole value. */
function patternAttribute({ schema }: FieldModel): MarkupPart {
  const { pattern } = schema
  if (typeof pattern !== 'string' || pattern === cleanText || !/^\^.*\$$/.test(pattern)) return undefined
  const escaped = pattern.replaceAll(/(?<!\\)-\]/g, '\\-]')
  return isBrowserPattern(escaped) && html` pattern="${escaped}"`
}

function isBrowserPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'v')
    return true
  } catch {
    // A pattern that only the flag `u` allows is left to the service.
    return false
  }
}

function limitAttribute(name: string, value: unknown): MarkupPart {
  return value !== undefined && html` ${name}="${String(value)}"`
}
