/** A rule in words, for documentation: who may, completing "… by". */

import type { Rule, WhereValue } from '../declare/rule.ts'

/** Such as `callers with the role editor or admin, or the account that author names`. */
export function describeRule(rule: Rule): string {
  switch (rule.kind) {
    case 'anyone':
      return 'anyone'
    case 'nobody':
      return 'nobody'
    case 'signed-in':
      return 'every caller with credentials'
    case 'self':
      return 'the account itself'
    case 'owner':
      return `the account that ${rule.path.join('’s ')} names`
    case 'role':
      return `callers with the role ${rule.roles.join(' or ')}`
    case 'where':
      return `anyone where ${Object.entries(rule.fields).map(describeField).join(' and ')}`
    case 'any':
      return rule.of.map(describeRule).join(', or ')
    case 'all':
      return rule.of.map(part).join(' and at the same time ')
    case 'not':
      return `whoever is known not to be ${part(rule.of)}`
  }
}

function describeField([name, value]: readonly [string, WhereValue]): string {
  const values = typeof value === 'object' ? value : [value]
  return `${name} is ${values.map((one) => JSON.stringify(one)).join(' or ')}`
}

/** Parted from its neighbours where it has parts itself. */
function part(rule: Rule): string {
  const compound = rule.kind === 'any' || rule.kind === 'all' || rule.kind === 'not'
  return compound ? `(${describeRule(rule)})` : describeRule(rule)
}
