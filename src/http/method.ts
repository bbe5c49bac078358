/** Request methods (RFC 9110 §9 and the IANA registry). Method names are case-sensitive. */

import { METHODS } from '../tools/node-builtins.ts'

/** The methods that a service offers, on one target or another. */
export const methods = ['GET', 'HEAD', 'POST', 'QUERY', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export type Method = (typeof methods)[number]

/** The methods that Node's parser accepts. Any other method is unrecognized: 501 (§15.6.2). */
export const knownMethods: ReadonlySet<string> = new Set(METHODS)

/** Safe methods (§9.2.1); QUERY by RFC 10008. */
export const safeMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'QUERY',
  'REPORT',
  'SEARCH',
  'TRACE',
])
