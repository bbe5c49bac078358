/** The English labels and nouns of a definition: declared, or from its names. They are the keys of dictionaries. */

import { placesOfCode } from './logic/declared-hooks.ts'
import { type FieldModel, type Model, outputFields, type ResourceModel } from './model.ts'

/** The noun for one item, as within a sentence: `article`. */
export function englishItemNoun(resource: ResourceModel): string {
  return resource.presentation.singular ?? singularOf(englishCollectionNoun(resource))
}

/** The noun for several items, as within a sentence: `articles`. */
export function englishCollectionNoun({ name, presentation }: ResourceModel): string {
  return presentation.plural ?? nameInWords(name).toLowerCase()
}

/** `createdAt` and `created-at` become `Created at`, `userId` `User ID`; `DE` and other texts stay unchanged. */
export function nameInWords(name: string): string {
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

const labels = new Map<string, string>([['github', 'GitHub']])

/** The singular of an English plural. */
function singularOf(plural: string): string {
  const irregular = irregularPlurals.get(plural)
  if (irregular !== undefined) return irregular
  if (/[^aeiou]ies$/.test(plural)) return `${plural.slice(0, -3)}y`
  if (/(?:ss|sh|ch|x|zz)es$/.test(plural)) return plural.slice(0, -2)
  return /[^su]s$/.test(plural) ? plural.slice(0, -1) : plural
}

const irregularPlurals: ReadonlyMap<string, string> = new Map([
  ['people', 'person'],
  ['children', 'child'],
  ['news', 'news'],
  ['series', 'series'],
])

/** All labels, nouns and help texts that HTML pages show for the resources of the definition. */
export function englishLabels({
  title,
  ...model
}: Pick<Model, 'resources' | 'service' | 'title'>): ReadonlySet<string> {
  return new Set([title, ...placesOfCode(model).flatMap(labelsOfResource)])
}

/** The same for one resource. */
export function labelsOfResource(resource: ResourceModel): readonly string[] {
  const { actions, relations } = resource
  return [
    englishItemNoun(resource),
    englishCollectionNoun(resource),
    ...outputFields(resource).flatMap(labelsOfField),
    ...relations.keys().map(nameInWords),
    ...actions
      .values()
      .flatMap(({ name, input }) => [nameInWords(name), ...input.fields.flatMap(labelsOfField)]),
  ]
}

function labelsOfField({ name, label, help, schema, item, state }: FieldModel): readonly string[] {
  const values = [schema.enum ?? [], item?.schema.enum ?? [], state?.states ?? []].flat()
  return [
    label ?? nameInWords(name),
    ...(help === undefined ? [] : [help]),
    ...values.filter((value) => typeof value === 'string').map(nameInWords),
    ...(state?.transitions ?? []).map((transition) => nameInWords(transition.name)),
  ]
}
