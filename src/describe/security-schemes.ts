/** Authentication schemes and security requirements in an OpenAPI document. */

import type { JsonSchema } from '../definition/model.ts'

/** Returns `components.securitySchemes`; registered HTTP schemes have the type `http`. */
export function securityComponents(schemes: readonly string[]): JsonSchema {
  return Object.fromEntries(schemes.map((scheme) => [keyOf(scheme), describeScheme(scheme)]))
}

/** Returns the requirement of one of the schemes; `open` adds the alternative of none. */
export function securityRequirements(schemes: readonly string[], open: boolean): readonly JsonSchema[] {
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
  Bearer: 'A token created at `/tokens`, or a JWT of a trusted issuer (RFC 6750).',
}
