/** The values in `exists` and `where` that depend on the caller or on the item that a rule judges. */

import { type DynamicValue, splitPath } from './rule.ts'

/**
 * The caller's account, as a value in `exists` and `where`.
 * @example
 * const isMember = exists('memberships', { user: caller, team: its('team') })
 */
export const caller: DynamicValue = Object.freeze({ kind: 'caller' })

/**
 * The value of a field of the caller's account, as a value in `exists` and `where`. It is read with
 * each request, so a change applies at once.
 * @example
 * const isColleague = where({ organisation: callerField('organisation') })
 */
export function callerField(name: string): DynamicValue {
  return Object.freeze({ kind: 'caller-field', name })
}

/**
 * The value at the end of a path of at most 3 steps, from the item that the rule judges; `its('id')`
 * is the item itself. A value in `exists` and `where`.
 * @example
 * const isMember = exists('memberships', { user: caller, project: its('id') })
 */
export function its(path: string): DynamicValue {
  // A path that is no string becomes an empty path, which checkDefinition reports.
  const steps = typeof path === 'string' ? splitPath(path) : []
  return Object.freeze({ kind: 'its', path: Object.freeze(steps) })
}
