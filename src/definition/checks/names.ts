/** Checks the names of collections and fields: their form, and reserved names. */

import type { FaultReport } from '../definition-fault.ts'
import type { ActionTools, LogicTools } from '../logic/logic-tools.ts'
import type { RouteTools } from '../logic/route.ts'
import { clientMembers, isReservedSegment, isSegment, maxNameLength, type Paths } from '../paths.ts'

/** Those of actions, of hooks and of routes, where no collection is declared. */
type ToolName = keyof (ActionTools<None> & LogicTools<None, never> & RouteTools<None, unknown>)
type None = Readonly<Record<never, never>>

/** The tools of logic beside the collections. The compiler names those that are missing. */
const tools: Readonly<Record<ToolName, true>> = {
  as: true,
  caller: true,
  created: true,
  event: true,
  mail: true,
  now: true,
  previous: true,
  refuse: true,
  report: true,
  requestId: true,
  seeOther: true,
  set: true,
  signal: true,
  transaction: true,
}

/** Whether it is the name of a tool beside the collections. */
export function isToolName(name: string): boolean {
  return Object.hasOwn(tools, name)
}

/** Members of every representation. */
export const systemNames: readonly string[] = ['id', 'createdAt', 'updatedAt']
/** Query parameters (`groupBy` is how clients write `group-by`), and the combinators of a QUERY's content. */
const parameters = 'limit after before sort fields embed aggregate groupBy q format any all not'.split(' ')
/** Members of every JavaScript object, which clients would find in items without the field. */
export const inherited: readonly string[] = Object.getOwnPropertyNames(Object.prototype)

/** Reports a collection name that is malformed or reserved. */
export function checkCollectionName(name: string, paths: Paths, report: FaultReport): void {
  if (isReservedSegment(name, paths)) {
    report(`The path /${name} is reserved.`, 'Choose another name.')
    return
  }
  if (isToolName(name)) {
    report(`The name '${name}' is reserved: logic has a tool with this name.`, 'Choose another name.')
    return
  }
  if (clientMembers.has(name)) {
    report(`The name '${name}' is reserved: the client has a member of this name.`, 'Choose another name.')
    return
  }
  if (isSegment(name)) return
  const better = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[_\s]+/g, '-')
    .toLowerCase()
  const usable = /^[a-z][a-z0-9-]*$/.test(better) && better !== name
  report(
    `The name of a collection must be lower case with hyphens, at most ${maxNameLength} characters.`,
    usable ? `Did you mean '${better}'?` : undefined,
  )
}

/** Reports a field name that is malformed, reserved, or differs from another only in case. */
export function checkFieldName(name: string, names: readonly string[], report: FaultReport): void {
  const taken = reservation(name)
  if (taken !== undefined) {
    report(`The name '${name}' is reserved: ${taken}.`, 'Choose another name.')
    return
  }
  checkFieldForm(name, report)
  // Databases ignore the case of names.
  const twin = [...systemNames, ...names].find((other) => isTwin(other, name))
  if (twin !== undefined)
    report(`The names '${twin}' and '${name}' differ only in case.`, 'Rename one of them.')
}

/** Reports the name of an input of an action that is malformed. */
export function checkInputName(name: string, report: FaultReport): void {
  if (inherited.includes(name)) {
    report('The name is reserved: every JavaScript object has this member.', 'Choose another name.')
  }
  checkFieldForm(name, report)
}

function checkFieldForm(name: string, report: FaultReport): void {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name) || name.length > maxNameLength) {
    report(
      `The name of a field must be letters and digits, beginning with a lower-case letter, at most ${maxNameLength}.`,
      'Write it like firstName.',
    )
  }
}

/** Returns why no field and no relation can have the name; undefined when they can. */
export function reservation(name: string): string | undefined {
  return parameters.includes(name) ? 'it is a query parameter' : memberReservation(name)
}

/** Returns why no member of an item can have the name; undefined when one can that is no filter. */
export function memberReservation(name: string): string | undefined {
  if (systemNames.includes(name)) return 'every item has this field'
  return inherited.includes(name) ? 'every JavaScript object has this member' : undefined
}

function isTwin(other: string, name: string): boolean {
  return other !== name && other.toLowerCase() === name.toLowerCase()
}

/** Former names of fields or collections, which must differ from present names and each other. */
export interface FormerNames {
  readonly present: readonly string[]
  /** The owner of each former name checked so far. */
  readonly taken: Map<string, string>
  readonly owner: string
}

/** Reports a former name that is in use or has two owners. */
export function checkFormerName(name: string, names: FormerNames, report: FaultReport): void {
  if (names.present.includes(name)) {
    report(`The former name '${name}' is also a present name.`)
  }
  const other = names.taken.get(name)
  if (other !== undefined) report(`The former name '${name}' is also a former name of '${other}'.`)
  names.taken.set(name, names.owner)
}
