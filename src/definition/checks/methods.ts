/** The methods of a resource: all of them, or those in the option `methods`. */

import type { FaultReport } from '../definition-fault.ts'
import { didYouMean } from '../name-suggestion.ts'
import type { ValidResourceOptions } from '../resource-declaration.ts'

/** In the order of the Allow field. */
const collectionMethods = ['GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS']
const itemMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Returns the option `methods`, or undefined without it; reports its faults. */
export function checkMethods(
  options: ValidResourceOptions,
  report: FaultReport,
): readonly string[] | undefined {
  const { methods } = options
  for (const method of methods ?? []) checkMethod(method, report)
  if (methods?.length === 0)
    report("The option 'methods' is empty.", 'Name at least one method, or remove it.')
  if (methods?.includes('HEAD') && !methods.includes('GET')) {
    report('HEAD needs GET.', "Add 'GET' to 'methods'.")
  }
  const needs = (option: string, method: string) => {
    if (methods !== undefined && !methods.includes(method)) {
      report(`The option ${option} needs the method ${method}.`, `Add '${method}' to 'methods'.`)
    }
  }
  if (options.put === 'create') needs("put: 'create'", 'PUT')
  if (options.bulk === true) needs('bulk', 'POST')
  return methods
}

function checkMethod(method: string, report: FaultReport): void {
  const known = new Set([...collectionMethods, ...itemMethods])
  if (!known.has(method))
    report(`Unknown method '${method}'.`, didYouMean(method, known) ?? `Expected: ${[...known].join(', ')}.`)
}

export function collectionMethodsOf(chosen: readonly string[] | undefined): ReadonlySet<string> {
  return new Set(collectionMethods.filter((method) => isOffered(method, chosen)))
}

export function itemMethodsOf(chosen: readonly string[] | undefined): ReadonlySet<string> {
  return new Set(itemMethods.filter((method) => isOffered(method, chosen)))
}

/** RFC 9110 §9.3.2: HEAD is GET without content, so it is offered with GET. */
function isOffered(method: string, chosen: readonly string[] | undefined): boolean {
  if (chosen === undefined || method === 'OPTIONS') return true
  return chosen.includes(method === 'HEAD' ? 'GET' : method)
}
