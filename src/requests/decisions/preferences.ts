/** The Prefer field (RFC 7240): the preferences that are known and can be applied. */

import type { HttpRequest } from '../../http/message.ts'
import type { Method } from '../../http/method.ts'
import { parsePrefer } from '../../http/prefer.ts'
import { refuse } from '../../refusal.ts'
import { operationOf, showsContent } from '../context/operation-of.ts'
import type { Preferences } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import { mayReturnSecret } from '../respond/cacheability.ts'

/** Seconds that a request waits for a job at most. */
const maxWait = 25

/** Whether the operation takes it. The secret of a new token is shown only once, so it is never left out. */
function isApplicable(target: Target, method: Method, [name, value]: readonly [string, string]): boolean {
  const operation = operationOf({ target, method })
  const preference = nameOf(name, value)
  switch (preference) {
    case 'handling=strict':
    case 'handling=lenient':
      return true
    case 'return=representation':
      return operation.offers !== 'file' && showsContent(operation)
    default: {
      const isTaken = operation.preferences?.some((one) => one === preference) ?? false
      return isTaken && (preference !== 'return=minimal' || !mayReturnSecret(target))
    }
  }
}

/** The preference as operations name it; that of `wait` has no number. */
function nameOf(name: string, value: string): string {
  const isNameAlone = name === 'wait' ? /^\d{1,9}$/.test(value) : value === ''
  return isNameAlone ? name : `${name}=${value}`
}

/** The applicable preferences. Others are ignored, or refused with 400 under `handling=strict`. */
export function parsePreferences(target: Target, method: Method, { fields }: HttpRequest): Preferences {
  const { prefer } = fields
  if (prefer === undefined) return none
  const sent = parsePrefer(prefer)
  const preferences = new Map([...sent].filter((one) => isApplicable(target, method, one)))
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
