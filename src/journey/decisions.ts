/** Gives each decision its name: a refusal then says which decision made it. */

import { Refusal } from '../refusal.ts'

/** With four parameters at most: passing them by name costs no array for each request. */
type Decision = (a: never, b: never, c: never, d: never) => unknown

/** The same functions; a Refusal that leaves one of them carries its name. */
export function named<T extends Record<string, Decision>>(decisions: T): T {
  const entries = Object.entries(decisions).map(([name, decide]) => [name, signed(name, decide)])
  return Object.fromEntries(entries) as T
}

function signed(name: string, decide: Decision): Decision {
  const sign = (error: unknown): never => {
    if (error instanceof Refusal) error.decision ??= name
    throw error
  }
  return (a, b, c, d) => {
    try {
      const result = decide(a, b, c, d)
      return result instanceof Promise ? result.catch(sign) : result
    } catch (error) {
      return sign(error)
    }
  }
}
