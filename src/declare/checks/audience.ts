/** What can be said of a rule without a record: whom it could ever let pass. */

import type { Rule } from '../rule.ts'

/** Whether a caller without credentials could ever satisfy the rule. */
export function mayBeAnonymous(rule: Rule): boolean {
  switch (rule.kind) {
    case 'anyone':
    case 'where':
      return true
    case 'any':
      return rule.of.some(mayBeAnonymous)
    case 'all':
      return rule.of.every(mayBeAnonymous)
    case 'not':
      return rule.of.kind !== 'anyone'
    default:
      return false
  }
}

/** Whether nobody satisfies the rule without having been given some role. */
export function needsRole(rule: Rule): boolean {
  switch (rule.kind) {
    case 'role':
    case 'nobody':
      return true
    case 'any':
      return rule.of.every(needsRole)
    case 'all':
      return rule.of.some(needsRole)
    default:
      return false
  }
}
