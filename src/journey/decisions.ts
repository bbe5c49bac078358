/** Gives each decision its name: a refusal then says which decision made it. */

import { Refusal } from '../refusal.ts'

type Decision = (...parameters: never[]) => unknown

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
  return (...parameters) => {
    try {
      const result = decide(...parameters)
      return result instanceof Promise ? result.catch(sign) : result
    } catch (error) {
      return sign(error)
    }
  }
}
