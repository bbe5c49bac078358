/** Declarations that are valid, but rarely meant. */

import type { Model, ResourceModel } from '../definition/model.ts'
import { personalPartsOf } from '../requests/respond/cacheability.ts'

export function warningsOf({ resources }: Model): readonly string[] {
  const all = [...resources.values()]
  return [
    ...all
      .filter(isClosed)
      .map(
        ({ name }) =>
          `${name}: no rule permits a caller to read, create, update or delete items, so only logic and commands reach them. Declare access, such as: access: { read: anyone }`,
      ),
    ...all.flatMap((resource) => warnOfPersonalCache(resource) ?? []),
    ...all.flatMap(warnOfNeedlessIndexes),
  ]
}

function isClosed({ access, actions }: ResourceModel): boolean {
  const rules = [...Object.values(access), ...[...actions.values()].map(({ by }) => by)]
  return rules.every(({ kind }) => kind === 'nobody')
}

/** Where everyone reads all items, a part that makes the content personal is rarely meant. */
function warnOfPersonalCache(resource: ResourceModel): string | undefined {
  const { access, cache } = resource
  const parts = cache === undefined || access.read.kind !== 'anyone' ? [] : personalPartsOf(resource)
  if (parts.length === 0) return undefined
  return `${resource.name}: 'cache' has an effect only for callers without credentials. The responses to others are 'private, no-cache', because callers see different content: ${parts.join('; ')}.`
}

/** An index serves all queries of those that it begins with, and a unique field has one. */
function warnOfNeedlessIndexes({ name, indexes }: ResourceModel): readonly string[] {
  const lists = indexes.map((fields) => fields.map((field) => field.name))
  return lists.flatMap((names, at) => {
    const isWithin = (other: readonly string[]) =>
      other.length > names.length && names.every((one, index) => other[index] === one)
    const longer = lists.find(isWithin)
    const [only, ...more] = indexes[at] ?? []
    const reason = longer
      ? `the index of ${longer.join(', ')} begins with it`
      : only?.unique && more.length === 0
        ? 'its unique() has one'
        : undefined
    if (reason === undefined) return []
    return [
      `${name}: the index of ${names.join(', ')} is not needed, because ${reason}. Remove it from 'index'.`,
    ]
  })
}
