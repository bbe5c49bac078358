/** Static analysis of rules: which callers a rule could permit on some row. */

import { needsCaller, type Rule } from '../rule.ts'

/** Whether the rule could permit an anonymous caller. */
export function mayPermitAnonymous(rule: Rule): boolean {
  switch (rule.kind) {
    case 'anyone':
      return true
    case 'where':
    case 'exists':
      return !Object.values(rule.fields).some(needsCaller)
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
 * Whether the rule could fail for an anonymous caller. The rules self, owner and role, and
 * values of the caller, are then unknown (access/rule-condition.ts), so neither they nor their
 * negations permit.
 */
function mayFailForAnonymous(rule: Rule): boolean {
  switch (rule.kind) {
    case 'nobody':
    case 'signed-in':
      return true
    // One known value that differs is enough to fail.
    case 'where':
      return !Object.values(rule.fields).every(needsCaller)
    case 'exists':
      return !Object.values(rule.fields).some(needsCaller)
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

/** Whether only callers with a role other than the default ones could satisfy the rule. */
export function needsRole(rule: Rule, defaultRoles: readonly string[] = []): boolean {
  switch (rule.kind) {
    case 'role':
      return !rule.roles.some((role) => defaultRoles.includes(role))
    case 'nobody':
      return true
    case 'any':
      return rule.of.every((one) => needsRole(one, defaultRoles))
    case 'all':
      return rule.of.some((one) => needsRole(one, defaultRoles))
    default:
      return false
  }
}
