/** What the client would like (RFC 7240): which preferences are known, and which are honoured. */

import type { Method, Preferences } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import type { HttpRequest } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { parsePrefer } from '../http/prefer.ts'
import { refuse } from '../refusal.ts'
import { mayReturnSecret } from '../respond/cacheability.ts'

/** Whether a preference with this value means something to this method of this target. */
type Known = (value: string, method: Method, target: Target) => boolean

const known: Readonly<Record<string, Known>> = {
  // Only with a list: `Prefer` is in Vary there (CONTRACT 4).
  count: (value, method, target) =>
    value === 'exact' && target.kind === 'collection' && safeMethods.has(method),
  handling: (value) => value === 'strict' || value === 'lenient',
  // A method that shows nothing is minimal as it is, and one that only shows is the other.
  // A new token's secret is shown this once, whatever is preferred.
  return: (value, method, target) => {
    if (value === 'minimal') return !safeMethods.has(method) && !mayReturnSecret(target)
    return value === 'representation' && method !== 'DELETE'
  },
}

/** Disregards what it does not know; refuses that with 400 where handling is to be strict. */
export function parsePreferences(
  target: Target,
  method: Method,
  { fields }: HttpRequest,
): Preferences {
  const { prefer } = fields
  if (prefer === undefined) return none
  const asked = parsePrefer(prefer)
  const honoured = [...asked].filter(
    ([name, value]) => Object.hasOwn(known, name) && known[name]?.(value, method, target),
  )
  const preferences = new Map(honoured)
  if (preferences.get('handling') !== 'strict') return preferences
  const others = [...asked.keys()].filter((name) => !preferences.has(name))
  if (others.length === 0) return preferences
  throw refuse('malformed-request', {
    detail: `Handling is to be strict, and these preferences cannot be honoured here: ${others.join(', ')}.`,
    members: { preferences: others },
  })
}

const none: Preferences = new Map()
