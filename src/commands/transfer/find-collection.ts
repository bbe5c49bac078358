/** The collection and the file that `restwell import` and `restwell export` name. */

import type { Model, ResourceModel } from '../../definition/model.ts'
import { findNearestName } from '../../definition/name-suggestion.ts'
import { CommandFault } from '../../operation/command-frame/command.ts'
import { formatOf } from './source-record.ts'

/** Throws a CommandFault where a word is missing, or names no collection of the definition. */
export function findCollection(
  { resources }: Model,
  words: readonly string[],
  example: string,
): { readonly resource: ResourceModel; readonly file: string } {
  const [name, file] = words
  if (name === undefined || file === undefined || words.length > 2) {
    throw new CommandFault(`Expected a collection and a file, such as: restwell ${example}`)
  }
  const resource = resources.get(name)
  if (!resource?.declared) {
    const names = [...resources.values()].flatMap((one) => (one.declared ? [one.name] : []))
    const suggestion = findNearestName(name, names)
    const hint = suggestion === undefined ? `Expected: ${names.join(', ')}.` : `Did you mean '${suggestion}'?`
    throw new CommandFault(`There is no collection '${name}'. ${hint}`)
  }
  formatOf(file)
  return { resource, file }
}
