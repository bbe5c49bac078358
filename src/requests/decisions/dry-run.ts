/** `dry-run=true`: a write that gets the response it would get, and changes nothing. */

import type { HttpResponse, ResponseFields } from '../../http/message.ts'
import { dryRunParameter, invalidParameter, withoutParameter } from '../../query/query-parameter.ts'

/** The query of the list that a POST is conditional on. */
export function withoutDryRun(query: string | undefined): string | undefined {
  return withoutParameter(query, dryRunParameter)
}

/** Whether the parameters ask for a dry run; refuses 400 for another value than `true`. */
export function isDryRun(parameters: ReadonlyMap<string, string>): boolean {
  const value = parameters.get(dryRunParameter)
  if (value === undefined) return false
  if (value !== 'true') throw invalidParameter(dryRunParameter, "must be 'true'")
  return true
}

/** The fields that a dry run leaves out: they are about an item that is not stored. */
const fieldsOfStoredItems = ['Location', 'Content-Location', 'ETag', 'Last-Modified']

/** The response of a dry run: 200 with the content of the response to the write, 204 without content. */
export function toDryRunResponse({ fields, ...response }: HttpResponse): HttpResponse {
  const kept: ResponseFields = { ...fields, 'Cache-Control': 'no-store' }
  for (const name of fieldsOfStoredItems) delete kept[name]
  return { ...response, status: response.body === undefined ? 204 : 200, fields: kept }
}
