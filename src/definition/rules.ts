/** The words for rules in definitions. Each makes plain data; access/ gives it its meaning. */

import type { Rule, WhereValue } from './rule.ts'

/** What definitions take wherever a rule stands: one, or a list that means any of them. */
export type Rules = Rule | readonly Rule[]

/** Everyone, with credentials or without. */
export const anyone: Rule = Object.freeze({ kind: 'anyone' })
/** No caller at all. What is not declared is this. */
export const nobody: Rule = Object.freeze({ kind: 'nobody' })
/** Every caller with an account. */
export const signedIn: Rule = Object.freeze({ kind: 'signed-in' })
/** The caller whose own account the record is. */
export const self: Rule = Object.freeze({ kind: 'self' })

/** The caller whom a reference of the record names: `owner('author')`, `owner('article.author')`. */
export function owner(path: string): Rule {
  // What is no text is kept as an empty path, which checking reports with everything else.
  const steps = typeof path === 'string' ? path.split('.') : []
  return Object.freeze({ kind: 'owner', path: Object.freeze(steps) })
}

/** Callers with one of these roles. No role implies another. */
export function role(...roles: readonly string[]): Rule {
  return Object.freeze({ kind: 'role', roles: Object.freeze(roles) })
}

/** Records in which every named field has the value, or one of the values. */
export function where(fields: Readonly<Record<string, WhereValue>>): Rule {
  return Object.freeze({ kind: 'where', fields: Object.freeze({ ...fields }) })
}

/** All of the rules must hold. */
export function and(...rules: readonly Rule[]): Rule {
  return Object.freeze({ kind: 'all', of: Object.freeze(rules) })
}

/** One of the rules must hold, as in a list of rules. */
export function or(...rules: readonly Rule[]): Rule {
  return Object.freeze({ kind: 'any', of: Object.freeze(rules) })
}

/** Wherever the rule does not hold. */
export function not(rule: Rule): Rule {
  return Object.freeze({ kind: 'not', of: rule })
}
