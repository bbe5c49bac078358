/** Labels for the names of a definition, in the language of the page. */

import { nameInWords } from '../../definition/english-labels.ts'
import { type FieldModel, outputFields, type ResourceModel } from '../../definition/model.ts'
import { pageLanguage, translated } from '../page-language.ts'

/** The declared label of the field, or its name in words. */
export function fieldLabel({ label, name }: FieldModel): string {
  return label === undefined ? formatLabel(name) : translated(label)
}

/** The label of the field with this name; of other members, their name in words. */
export function memberLabel(resource: ResourceModel | undefined, name: string): string {
  const field = resource && outputFields(resource).find((one) => one.name === name)
  return field ? fieldLabel(field) : formatLabel(name)
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

/** The name of a field, choice, state or action in words: `createdAt` becomes `Created at`. */
export function formatLabel(name: string): string {
  return translated(nameInWords(name))
}

/** A value of a choice or state within a sentence. English keeps it as it is declared. */
export function valueInSentence(value: string): string {
  return pageLanguage().find(nameInWords(value)) ?? value
}

/** The label as within a sentence. Only English writes it in lower case: German nouns stay upper case. */
export function labelInSentence(label: string): string {
  return pageLanguage().tag === 'en' ? label.toLowerCase() : label
}
