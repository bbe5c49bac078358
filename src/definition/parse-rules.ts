/**
 * Reading rules as users wrote them: a rule or a list of rules becomes one rule of our own making,
 * and what is no rule is reported. Whether it fits the resource is judged by checks/rules.ts.
 */

import type { FaultReport } from './definition-fault.ts'
import { formatValue } from './option-table.ts'
import type { Rule } from './rule.ts'
import { nobody } from './rules.ts'

/** The rule, or undefined where none is given. What cannot be read denies. */
export function parseOptionalRule(given: unknown, report: FaultReport): Rule | undefined {
  return given === undefined ? undefined : parseRule(given, report)
}

function parseRule(given: unknown, report: FaultReport): Rule {
  if (Array.isArray(given)) return parseRuleList(given, report)
  if (typeof given !== 'object' || given === null || !('kind' in given)) {
    report(
      `Not a rule: ${formatValue(given)}.`,
      'Rules are anyone, signedIn, self, nobody, owner(…), role(…), where({ … }).',
    )
    return nobody
  }
  // A value with a kind is taken for a rule; each reader checks what it reads.
  const rule = given as Rule
  const reader = Object.hasOwn(parsers, rule.kind) ? parsers[rule.kind] : undefined
  if (reader !== undefined) return reader(rule as never, report)
  report(`There is no rule of the kind ${formatValue(rule.kind)}.`)
  return nobody
}

function parseRuleList(given: readonly unknown[], report: FaultReport): Rule {
  if (!Array.isArray(given) || given.length === 0) {
    report('A list of rules is empty.', 'Use nobody where no caller is meant.')
    return nobody
  }
  if (given.length === 1) return parseRule(given[0], report)
  return { kind: 'any', of: given.map((one) => parseRule(one, report)) }
}

type RuleParsers = {
  readonly [K in Rule['kind']]: (rule: Extract<Rule, { kind: K }>, report: FaultReport) => Rule
}

const parsers: RuleParsers = {
  anyone: () => ({ kind: 'anyone' }),
  nobody: () => nobody,
  'signed-in': () => ({ kind: 'signed-in' }),
  self: () => ({ kind: 'self' }),
  owner: ({ path }, report) => {
    if (areNames(path)) return { kind: 'owner', path: [...path] }
    report('owner needs the name of a reference.', "Such as owner('author').")
    return nobody
  },
  role: ({ roles }, report) => {
    if (areNames(roles)) return { kind: 'role', roles: [...roles] }
    report('role needs at least one role.', "Such as role('admin').")
    return nobody
  },
  where: ({ fields }, report) => {
    const values = Object.values(fields ?? {})
    const sound = values.length > 0 && values.every(isWhereValue)
    if (sound) return { kind: 'where', fields: structuredClone(fields) }
    report('where needs fields, and a value for each.', "Such as where({ status: 'published' }).")
    return nobody
  },
  any: ({ of }, report) => parseRuleList(of, report),
  all: ({ of }, report) => {
    if (!Array.isArray(of) || of.length === 0) return parseRuleList(of, report)
    return { kind: 'all', of: of.map((one) => parseRule(one, report)) }
  },
  not: ({ of }, report) => ({ kind: 'not', of: parseRule(of, report) }),
}

function areNames(given: unknown): boolean {
  if (!Array.isArray(given) || given.length === 0) return false
  return given.every((name) => typeof name === 'string' && name !== '')
}

function isWhereValue(value: unknown): boolean {
  const values = [value].flat()
  return values.length > 0 && values.every((one) => /^(string|number|boolean)$/.test(typeof one))
}
