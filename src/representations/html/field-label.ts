/** Labels for the names of a definition. */

import { type FieldModel, type Model, outputFields, type ResourceModel } from '../../definition/model.ts'

/** The declared label of the field, or its name in words. */
export function fieldLabel({ label, name }: FieldModel): string {
  return label ?? formatLabel(name)
}

/** The label of the field with this name; of other members, their name in words. */
export function memberLabel(resource: ResourceModel | undefined, name: string): string {
  const field = resource && outputFields(resource).find((one) => one.name === name)
  return field ? fieldLabel(field) : formatLabel(name)
}

/** The label of the field that people sign in with. */
export function loginLabel({ accounts }: Model): string {
  return accounts ? fieldLabel(accounts.login) : 'Login'
}

/** The labels on a path such as `author.name`: `Author · Name`. */
export function pathLabel(resource: ResourceModel, path: string): string {
  let current: ResourceModel | undefined = resource
  const labels = path.split('.').map((name) => {
    const label = memberLabel(current, name)
    current = current?.relations.get(name)?.target
    return label
  })
  return labels.join(' · ')
}

/** `createdAt` and `created-at` become `Created at`, `userId` `User ID`; `DE` and other texts stay unchanged. */
export function formatLabel(name: string): string {
  const known = labels.get(name)
  if (known !== undefined) return known
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) return name
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .split(' ')
    .map(formatWord)
    .join(' ')
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  if (labels.size < 10_000) labels.set(name, label)
  return label
}

/** Abbreviations stay or become upper case: `DE`, `URL`. */
function formatWord(word: string): string {
  if (/^[A-Z][A-Z0-9]+$/.test(word)) return word
  return abbreviations.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()
}

const abbreviations: ReadonlySet<string> = new Set(
  'api csv html http iban id ip isbn json pdf sku uri url vat xml'.split(' '),
)

const labels = new Map<string, string>()
