/** The URIs and queries that the client sends. Part of the client, which is one module. */

import type { ClientOptions } from './options.ts'

/** `{ price: { gte: 10 }, sort: ['-price'] }` as `?price[gte]=10&sort=-price`. */
export function formatQuery(query: object): string {
  const parameters = new URLSearchParams()
  const controls = ['sort', 'fields', 'embed', 'group-by', 'aggregate']
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (controls.includes(name)) parameters.append(name, [value].flat().join())
    else if (typeof value !== 'object' || value === null) parameters.append(name, String(value))
    else
      for (const [operator, operand] of Object.entries(value))
        parameters.append(`${name}[${operator}]`, formatOperand(operand))
  }
  return parameters.size > 0 ? `?${parameters}` : ''
}

function formatOperand(operand: unknown): string {
  if (!Array.isArray(operand)) return String(operand)
  return operand.map((one) => String(one).replace(/[\\,]/g, '\\$&')).join()
}

/** The URI of a request, with the parameters that every request has. Links of the service have them already. */
export function targetOf(uri: string, options: ClientOptions, isRead: boolean): string {
  const { dryRun, apiVersion = '' } = options
  const target = new URL(uri)
  if (dryRun && !isRead) target.searchParams.set('dry-run', 'true')
  if (apiVersion !== '') target.searchParams.set('api-version', apiVersion)
  return dryRun || apiVersion !== '' ? String(target) : uri
}

/** Refuses what no item can have as its id: the URI would name another resource. */
export function segmentOf(id: unknown): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`'${id}' is no id of an item.`)
  return encodeURIComponent(id)
}
