/** Describes an access rule in words, for documentation. */

import type { Rule } from '../definition/rule.ts'

/** Returns words that complete "may be done by …". */
export function formatRule(rule: Rule): string {
  switch (rule.kind) {
    case 'anyone':
      return 'anyone'
    case 'nobody':
      return 'nobody'
    case 'signed-in':
      return 'any signed-in caller'
    case 'self':
      return 'the account itself'
    case 'owner':
      return `the account in ${rule.path.join('.')}`
    case 'role':
      return `the role ${rule.roles.join(' or ')}`
    case 'where':
      return `anyone where ${Object.entries(rule.fields).map(formatWhere).join(' and ')}`
    case 'any':
      return rule.of.map(formatRule).join('; or ')
    case 'all':
      return rule.of.map((inner) => bracketed(inner)).join(' and at the same time ')
    case 'not':
      return `all but ${bracketed(rule.of)}`
  }
}

function bracketed(rule: Rule): string {
  const words = formatRule(rule)
  const compound =
    rule.kind === 'any' || rule.kind === 'all' || (rule.kind === 'role' && rule.roles.length > 1)
  return compound ? `(${words})` : words
}

function formatWhere([name, value]: readonly [string, unknown]): string {
  return `${name} is ${[value].flat().map(String).join(' or ')}`
}
