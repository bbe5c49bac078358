/** What can be said of a rule without a record: whom it could ever let pass. */

import type { Rule } from '../rule.ts'

/** Whether a caller without credentials could ever satisfy the rule. */
export function mayPermitAnonymous(rule: Rule): boolean {
  switch (rule.kind) {
    case 'anyone':
    case 'where':
      return true
    case 'any':
      return rule.of.some(mayPermitAnonymous)
    case 'all':
      return rule.of.every(mayPermitAnonymous)
    case 'not':
      return mayFailForAnonymous(rule.of)
    default:
      return false
  }
}

/**
 * Whether the rule could be known not to hold for a caller without credentials. Of self, owner and
 * role nothing is known then, so neither they nor their opposites let pass.
 */
function mayFailForAnonymous(rule: Rule): boolean {
  switch (rule.kind) {
    case 'nobody':
    case 'signed-in':
    case 'where':
      return true
    case 'any':
      return rule.of.every(mayFailForAnonymous)
    case 'all':
      return rule.of.some(mayFailForAnonymous)
    case 'not':
      return mayPermitAnonymous(rule.of)
    default:
      return false
  }
}

/** Whether nobody satisfies the rule without having been given some role, other than those here. */
export function needsRole(rule: Rule, usual: readonly string[] = []): boolean {
  switch (rule.kind) {
    case 'role':
      return !rule.roles.some((role) => usual.includes(role))
    case 'nobody':
      return true
    case 'any':
      return rule.of.every((one) => needsRole(one, usual))
    case 'all':
      return rule.of.some((one) => needsRole(one, usual))
    default:
      return false
  }
}
