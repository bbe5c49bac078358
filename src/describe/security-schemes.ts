/** Authentication in an OpenAPI document: the schemes on offer, and what an operation asks for. */

import type { JsonSchema } from '../definition/model.ts'

/** `components.securitySchemes`; those that HTTP registers are all of the type `http`. */
export function securityComponents(schemes: readonly string[]): JsonSchema {
  return Object.fromEntries(schemes.map((scheme) => [keyOf(scheme), describeScheme(scheme)]))
}

/** One of the schemes; or none at all, where someone unknown might be allowed too. */
export function securityRequirements(
  schemes: readonly string[],
  open: boolean,
): readonly JsonSchema[] {
  const each = schemes.map((scheme) => ({ [keyOf(scheme)]: [] }))
  return open || each.length === 0 ? [{}, ...each] : each
}

function keyOf(scheme: string): string {
  return scheme.toLowerCase()
}

function describeScheme(scheme: string): JsonSchema {
  const description = Object.hasOwn(descriptions, scheme) ? descriptions[scheme] : undefined
  return { type: 'http', scheme: keyOf(scheme), ...(description ? { description } : {}) }
}

const descriptions: Readonly<Record<string, string>> = {
  Basic: 'Login and password of an account (RFC 7617).',
  Bearer: 'A token made at `/tokens`, or a JWT of an issuer that the service believes (RFC 6750).',
}
