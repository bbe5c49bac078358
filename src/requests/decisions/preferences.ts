/** The Prefer field (RFC 7240): the preferences that are known and can be applied. */

import type { HttpRequest } from '../../http/message.ts'
import { safeMethods } from '../../http/method.ts'
import { parsePrefer } from '../../http/prefer.ts'
import { refuse } from '../../refusal.ts'
import type { Method, Preferences } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import { mayReturnSecret } from '../respond/cacheability.ts'

/** Seconds that a request waits for a job at most. */
const maxWait = 25

/** Whether a preference with this value applies to this method of this target. */
type IsApplicable = (value: string, method: Method, target: Target) => boolean

const known: Readonly<Record<string, IsApplicable>> = {
  // Lists only: their responses have Prefer in Vary.
  count: (value, method, target) =>
    value === 'exact' && target.kind === 'collection' && safeMethods.has(method),
  // Background actions only: other responses do not come later.
  'respond-async': (value, _method, target) => value === '' && isBackground(target),
  wait: (value, _method, target) => /^\d{1,9}$/.test(value) && isBackground(target),
  handling: (value) => value === 'strict' || value === 'lenient',
  // The secret of a new token is shown only once, so `minimal` does not apply to it.
  return: (value, method, target) => {
    if (target.kind === 'element' || target.kind === 'file') return false
    if (value === 'minimal') return !safeMethods.has(method) && !mayReturnSecret(target)
    return value === 'representation' && method !== 'DELETE'
  },
}

function isBackground(target: Target): boolean {
  return target.kind === 'action' && target.action.background
}

/** The applicable preferences. Others are ignored, or refused with 400 under `handling=strict`. */
export function parsePreferences(target: Target, method: Method, { fields }: HttpRequest): Preferences {
  const { prefer } = fields
  if (prefer === undefined) return none
  const sent = parsePrefer(prefer)
  const applicable = [...sent].filter(
    ([name, value]) => Object.hasOwn(known, name) && known[name]?.(value, method, target),
  )
  const preferences = new Map(applicable)
  const wait = preferences.get('wait')
  if (wait !== undefined) preferences.set('wait', `${Math.min(Number(wait), maxWait)}`)
  if (preferences.get('handling') !== 'strict') return preferences
  const others = [...sent.keys()].filter((name) => !preferences.has(name))
  if (others.length === 0) return preferences
  throw refuse('malformed-request', {
    detail: `You asked for strict handling, but these preferences do not apply here: ${others.join(', ')}.`,
    members: { preferences: others },
  })
}

const none: Preferences = new Map()
