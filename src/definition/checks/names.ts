/** Names of collections and fields: their form, and those that are taken. */

import type { FaultReport } from '../definition-fault.ts'

/** First path segments that the service needs for itself. */
const reservedSegments: ReadonlySet<string> = new Set(
  'tokens events webhooks openapi.json schemas client.js client.d.ts docs problems relations .well-known sign-in sign-out forms health metrics status assets'.split(
    ' ',
  ),
)

/** In every representation. */
const systemFields = ['id', 'createdAt', 'updatedAt']
/** Query parameters, and the combinators of a QUERY's content. */
const parameters = 'limit after before sort fields embed q format any all not'.split(' ')
/** Every JavaScript object has these, so a client's code would see them where nothing is. */
const inherited = Object.getOwnPropertyNames(Object.prototype)

/** Databases cut longer identifiers. */
const maxNameLength = 63

export function checkCollectionName(name: string, report: FaultReport): void {
  if (reservedSegments.has(name)) {
    report(`The path /${name} is reserved.`)
    return
  }
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) && name.length <= maxNameLength) return
  const better = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[_\s]+/g, '-')
    .toLowerCase()
  const usable = /^[a-z][a-z0-9-]*$/.test(better) && better !== name
  report(
    `A collection's name is lower case with hyphens, at most ${maxNameLength} characters.`,
    usable ? `Did you mean '${better}'?` : undefined,
  )
}

/** `names` are all fields of the resource, this one among them. */
export function checkFieldName(name: string, names: readonly string[], report: FaultReport): void {
  const taken = reservation(name)
  if (taken !== undefined) {
    report(`The name '${name}' is reserved: ${taken}.`)
    return
  }
  if (!/^[a-z][A-Za-z0-9]*$/.test(name) || name.length > maxNameLength) {
    report(
      `A field's name is letters and digits, the first a small letter, at most ${maxNameLength}.`,
      'Write it like firstName.',
    )
  }
  // Databases do not tell names apart by case.
  const twin = [...systemFields, ...names].find((other) => isTwin(other, name))
  if (twin !== undefined) report(`The names '${twin}' and '${name}' differ only in case.`)
}

function reservation(name: string): string | undefined {
  if (systemFields.includes(name)) return 'every item has it already'
  if (parameters.includes(name)) return 'queries use it as a parameter'
  return inherited.includes(name) ? 'every JavaScript object has it' : undefined
}

function isTwin(other: string, name: string): boolean {
  return other !== name && other.toLowerCase() === name.toLowerCase()
}

/** Former names of fields or collections, which must not be taken by living ones or each other. */
export interface FormerNames {
  readonly living: readonly string[]
  /** Former name to who had it, filled as they come. */
  readonly taken: Map<string, string>
  readonly holder: string
}

export function checkFormerName(name: string, names: FormerNames, report: FaultReport): void {
  if (names.living.includes(name)) {
    report(`The former name '${name}' is in use now.`)
  }
  const other = names.taken.get(name)
  if (other !== undefined) report(`The former name '${name}' is also claimed by '${other}'.`)
  names.taken.set(name, names.holder)
}
