/** The methods a resource offers: all, or those that its definition keeps. */

import type { FaultReport } from '../definition-fault.ts'
import { didYouMean } from '../name-suggestion.ts'
import type { Options } from '../option-table.ts'

/** In the order that Allow lists them. A method of collections or items is added here. */
const collectionMethods = ['GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS']
const itemMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The methods kept, or undefined where the definition does not choose. */
export function checkMethods(options: Options, report: FaultReport): readonly string[] | undefined {
  const methods = options.methods as readonly string[] | undefined
  for (const method of methods ?? []) checkMethod(method, report)
  if (methods?.length === 0) report("The option 'methods' names no method.")
  if (methods?.includes('HEAD') && !methods.includes('GET')) {
    report('HEAD is offered only together with GET.')
  }
  const needs = (option: string, method: string) => {
    if (methods !== undefined && !methods.includes(method)) {
      report(`The option ${option} needs the method ${method}, which 'methods' leaves out.`)
    }
  }
  if (options.put === 'create') needs("put: 'create'", 'PUT')
  if (options.bulk === true) needs('bulk', 'POST')
  return methods
}

function checkMethod(method: string, report: FaultReport): void {
  const known = new Set([...collectionMethods, ...itemMethods])
  if (!known.has(method)) report(`No method '${method}'.`, didYouMean(method, known))
}

export function collectionMethodsOf(kept: readonly string[] | undefined): ReadonlySet<string> {
  return new Set(collectionMethods.filter((method) => isOffered(method, kept)))
}

export function itemMethodsOf(kept: readonly string[] | undefined): ReadonlySet<string> {
  return new Set(itemMethods.filter((method) => isOffered(method, kept)))
}

/** RFC 9110 §9.3.2: HEAD is GET without content, so it comes and goes with it. */
function isOffered(method: string, kept: readonly string[] | undefined): boolean {
  if (kept === undefined || method === 'OPTIONS') return true
  return kept.includes(method === 'HEAD' ? 'GET' : method)
}
