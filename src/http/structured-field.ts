/** Structured fields (RFC 9651), as far as Idempotency-Key and uploads need them. */

/**
 * Parses an Item that is a String (§4.2.5) or a Token (§4.2.6); undefined if it is neither. Unlike a
 * Token, the value may begin with a digit, because clients send bare UUIDs. Parameters are checked
 * and ignored.
 */
export function parseStringOrToken(fieldValue: string): string | undefined {
  const item = matchStringOrToken(fieldValue)
  if (item === undefined || !hasValidParameters(fieldValue, item.length)) return undefined
  return item.startsWith('"') ? item.slice(1, -1).replace(/\\(.)/g, '$1') : item
}

/** Parses an Item that is a Boolean (§4.2.8); undefined if it is none. Parameters are checked and ignored. */
export function parseBoolean(fieldValue: string): boolean | undefined {
  const item = /^\?[01]/.exec(fieldValue)?.[0]
  return item !== undefined && hasValidParameters(fieldValue, item.length) ? item === '?1' : undefined
}

/** Parses an Item that is an Integer (§4.2.4); undefined if it is none. Parameters are checked and ignored. */
export function parseInteger(fieldValue: string): number | undefined {
  const item = /^-?[0-9]{1,15}/.exec(fieldValue)?.[0]
  return item !== undefined && hasValidParameters(fieldValue, item.length) ? Number(item) : undefined
}

function matchStringOrToken(fieldValue: string): string | undefined {
  return /^(?:"(?:[ !#-[\]-~]|\\["\\])*"|[!#$%&'*+\-.^_`|~0-9A-Za-z:/]+)/.exec(fieldValue)?.[0]
}

function hasValidParameters(fieldValue: string, start: number): boolean {
  let position = start
  while (position < fieldValue.length) {
    parameterPattern.lastIndex = position
    if (!parameterPattern.test(fieldValue)) return false
    position = parameterPattern.lastIndex
  }
  return true
}

const bareItems = [
  '-?[0-9]{1,12}\\.[0-9]{1,3}', // Decimal
  '-?[0-9]{1,15}', // Integer
  '"(?:[ !#-[\\]-~]|\\\\["\\\\])*"', // String
  "[A-Za-z*][!#$%&'*+\\-.^_`|~0-9A-Za-z:/]*", // Token
  ':[A-Za-z0-9+/]*={0,2}:', // Byte Sequence
  '\\?[01]', // Boolean
  '@-?[0-9]{1,15}', // Date
  '%"(?:[ !#-$&-~]|%[0-9a-f]{2})*"', // Display String
]
const parameterPattern = new RegExp(`; *[a-z*][a-z0-9_\\-.*]*(?:=(?:${bareItems.join('|')}))?`, 'y')
