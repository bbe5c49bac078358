/** Checks the inverses of references: names under an item of the target, each with one meaning. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import type { FieldModel, ResourceModel } from '../model.ts'
import { isNested } from '../nested-resources.ts'
import type { CheckContext } from './check-context.ts'
import { reservation } from './names.ts'

/** Reports inverses of the resource's references that are malformed or collide with other names of the target. */
export function checkInverses(resource: ResourceModel, { declarations, faults }: CheckContext): void {
  for (const field of resource.fields) {
    const { inverse, resource: target } = field.ref ?? {}
    if (inverse === undefined || target === undefined || isNested(resource)) continue
    const report = prefixReport(`The inverse '${inverse}'`, faults.at(resource.name, field.name))
    if (!isPathName(inverse)) {
      reportPathName(inverse, 'tasks', report)
      continue
    }
    const taken = findMeaning({ resource, field, target }, declarations.get(target.name)?.names ?? [])
    if (taken !== undefined) report(taken, 'Choose another name.')
  }
}

const maxNameLength = 63

/** Whether the name has the form of a path segment below an item. */
export function isPathName(name: string): boolean {
  return /^[a-z][A-Za-z0-9]*(?:-[a-z0-9]+)*$/.test(name) && name.length <= maxNameLength
}

/** Reports a name that does not have the form of a path segment. */
export function reportPathName(name: string, example: string, report: FaultReport): void {
  const better = name
    .trim()
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
    .replace(/[_\s]+/g, '-')
  report(
    `It is a path segment: letters, digits and single hyphens, beginning with a lower-case letter, at most ${maxNameLength} characters.`,
    isPathName(better) && better !== name ? `Did you mean '${better}'?` : `Write it like '${example}'.`,
  )
}

interface DeclaredInverse {
  readonly resource: ResourceModel
  readonly field: FieldModel
  readonly target: ResourceModel
}

/** Says which other meaning the name has for an item of the target; undefined when it is free. */
function findMeaning({ field, target }: DeclaredInverse, names: readonly string[]): string | undefined {
  const inverse = field.ref!.inverse!
  const reserved = reservation(inverse) ?? reservedMeanings.get(inverse)
  if (reserved !== undefined) return `This name is reserved: ${reserved}.`
  if (names.includes(inverse)) return `${target.name} has a field of this name.`
  const transitions = target.fields.flatMap(({ state }) => state?.transitions ?? [])
  if (transitions.some(({ name }) => name === inverse)) {
    return `${target.name} has a transition of this name.`
  }
  const relation = target.relations.get(inverse)
  if (relation === undefined || relation.field === field) return undefined
  return `It is already the inverse of ${relation.target.name}.${relation.field.name}.`
}

/** Paths of the service under an item, and methods of the client. */
export const reservedMeanings: ReadonlyMap<string, string> = new Map([
  ...['history', 'credentials'].map((name) => [name, 'it is a path of the service'] as const),
  ...'list all query count aggregate get create createMany replace patch remove addElement removeElement changes version queries then'
    .split(' ')
    .map((name) => [name, 'the client has a method of this name'] as const),
])
