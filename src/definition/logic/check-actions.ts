/** Checks the actions and queries of a resource: their names, their rules, and the defaults of their input. */

import type { CheckContext } from '../checks/check-context.ts'
import { checkDefault } from '../checks/fields.ts'
import { isPathName, reportPathName, reservedMeanings } from '../checks/inverses.ts'
import { inherited, isToolName, systemNames } from '../checks/names.ts'
import { checkCallerRule } from '../checks/rule-of-caller.ts'
import { checkRule } from '../checks/rules.ts'
import { type FaultReport, prefixReport } from '../definition-fault.ts'
import type { ActionModel, ResourceModel } from '../model.ts'
import { isReservedSegment, type Paths } from '../paths.ts'

/** Reports the faults of all actions of the resource. */
export function checkActions(resource: ResourceModel, context: CheckContext): void {
  for (const action of resource.actions.values()) {
    const what = action.isSafe ? 'Query' : 'Action'
    const report = prefixReport(`${what} '${action.name}'`, context.faults.at(resource.name))
    checkName(resource, action, context, report)
    const ruleContext = { ...context, resource, report: prefixReport("'by'", report) }
    if (action.on === 'item') checkRule(action.by, ruleContext)
    else {
      const place = action.on === 'collection' ? 'on a collection' : 'of the service'
      checkCallerRule(action.by, `${action.isSafe ? 'a query' : 'an action'} ${place}`, ruleContext)
    }
    checkDefaults(action.input, 'The input', report)
  }
}

interface ServicePlace {
  readonly paths: Paths
  /** Unchecked. */
  readonly routes: unknown
}

/** Reports the faults of the operations of the service, if it has some. */
export function checkServiceActions(
  service: ResourceModel | undefined,
  context: CheckContext,
  place: ServicePlace,
): void {
  if (!service) return
  checkActions(service, context)
  checkServiceNames(service, context, place)
}

/** Reports the names of operations of the service whose URI is that of something else. */
function checkServiceNames(
  service: ResourceModel,
  { models, declarations, faults }: CheckContext,
  { paths, routes }: ServicePlace,
): void {
  const report = faults.at()
  if (models.has(service.name)) {
    report(
      `The collection '${service.name}' has the name that scopes of tokens have for the operations of the service.`,
      'Choose another name for the collection.',
    )
  }
  const former = new Set([...declarations.values()].flatMap(({ options }) => options.formerly ?? []))
  for (const { name, isSafe } of service.actions.values()) {
    const of = prefixReport(`${isSafe ? 'Query' : 'Action'} '${name}' of the service`, report)
    if (models.has(name) || former.has(name)) of('A collection has this path.', 'Choose another name.')
    else if (isReservedSegment(name, paths)) of(`The path /${name} is reserved.`, 'Choose another name.')
    else if (isToolName(name)) of('Logic has a tool with this name.', 'Choose another name.')
    else if (Object.hasOwn(Object(routes), `/${name}`)) of('A route has this path.', 'Choose another name.')
  }
}

/** Reports the defaults that are not valid; also those of the objects of lists. */
function checkDefaults(members: ResourceModel, one: string, report: FaultReport): void {
  for (const field of members.fields) {
    const reportField = prefixReport(`${one} '${field.name}'`, report)
    checkDefault(field, members, reportField)
    if (field.members) checkDefaults(field.members, 'The member', reportField)
  }
}

function checkName(
  resource: ResourceModel,
  { name, on }: ActionModel,
  { declarations }: CheckContext,
  report: FaultReport,
): void {
  if (!isPathName(name)) {
    reportPathName(name, 'assign', report)
    return
  }
  const taken = findMeaning(resource, name, declarations.get(resource.name)?.names ?? [])
  if (taken !== undefined) report(taken, 'Choose another name.')
  else if (on === 'collection') checkKey(resource, name, report)
}

/** Says which other meaning the name has; undefined when it is free. */
function findMeaning(resource: ResourceModel, name: string, fields: readonly string[]): string | undefined {
  const reserved = reservedMeaning(name)
  if (reserved !== undefined) return `This name is reserved: ${reserved}.`
  const of = (what: string) => `${resource.name} has a ${what} of this name.`
  if (fields.includes(name)) return of('field')
  if (resource.derived.some(({ field }) => field.name === name)) return of('derived field')
  if (resource.relations.has(name)) return `It is already the inverse of a reference to ${resource.name}.`
  const transitions = resource.fields.flatMap(({ state }) => state?.transitions ?? [])
  return transitions.some((one) => one.name === name) ? of('transition') : undefined
}

function reservedMeaning(name: string): string | undefined {
  if (templateNames.includes(name)) return 'it is the name of a form'
  if (systemNames.includes(name)) return 'every item has this field'
  if (inherited.includes(name)) return 'every JavaScript object has this member'
  return reservedMeanings.get(name)
}

/** The forms that every item or collection may have. */
const templateNames: readonly string[] = ['default', 'delete', 'restore']

/** No item can have the name as its key (resource-model.ts), so a choice of it would be useless. */
function checkKey({ keyField }: ResourceModel, name: string, report: FaultReport): void {
  const choices = keyField?.schema.enum
  if (!Array.isArray(choices) || !choices.includes(name)) return
  report(`'${name}' is also a choice of the key '${keyField?.name}'.`, 'Choose another name.')
}
