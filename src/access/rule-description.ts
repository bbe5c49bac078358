/** Describes an access rule in words, for documentation. */

import {
  ITEM_ITSELF,
  isDynamicValue,
  type Rule,
  type RuleFields,
  type RuleValue,
} from '../definition/rule.ts'

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
      return `anyone where ${formatFields(rule.fields)}`
    case 'exists':
      return `anyone for whom ${rule.collection} has an item where ${formatFields(rule.fields)}`
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

/** Returns words such as `status is open`. */
export function formatFields(fields: RuleFields): string {
  const comparisons = Object.entries(fields).map(([path, value]) => `${path} is ${formatValue(value)}`)
  return comparisons.join(' and ')
}

function formatValue(value: RuleValue): string {
  if (!isDynamicValue(value)) return [value].flat().map(String).join(' or ')
  switch (value.kind) {
    case 'caller':
      return 'the caller'
    case 'caller-field':
      return `the caller's ${value.name}`
    case 'its':
      return value.path.join() === ITEM_ITSELF ? 'this item' : `this item's ${value.path.join('.')}`
  }
}
