/**
 * Parses rules as users wrote them: a rule or a list of rules becomes one rule, and other values are
 * reported. checks/rules.ts checks whether the rule fits its resource.
 */

import type { FaultReport } from './definition-fault.ts'
import { formatValue } from './option-table.ts'
import type { Constant, DynamicValue, Rule, RuleFields, RuleValue } from './rule.ts'
import { nobody } from './rule-functions.ts'

/** Returns the rule, or undefined without one. An invalid rule is reported and becomes `nobody`. */
export function parseOptionalRule(given: unknown, report: FaultReport): Rule | undefined {
  return given === undefined ? undefined : parseRule(given, report)
}

function parseRule(given: unknown, report: FaultReport): Rule {
  if (Array.isArray(given)) return parseRuleList(given, report)
  if (typeof given !== 'object' || given === null || !('kind' in given)) {
    report(
      `Not a rule: ${formatValue(given)}.`,
      'Expected: anyone, signedIn, self, nobody, owner(…), role(…), where({ … }), exists(…).',
    )
    return nobody
  }
  // Each parser checks the members of its kind.
  const rule = given as Rule | DynamicValue
  if (isDynamicValueKind(rule)) {
    report(
      `${formatValueName(rule.kind)} is a value, not a rule.`,
      "Use it in exists('…', { … }) or where({ … }).",
    )
    return nobody
  }
  const parse = Object.hasOwn(parsers, rule.kind) ? parsers[rule.kind] : undefined
  if (parse !== undefined) return parse(rule as never, report)
  report(`Unknown kind of rule: ${formatValue(rule.kind)}.`)
  return nobody
}

function parseRuleList(given: readonly unknown[], report: FaultReport): Rule {
  if (!Array.isArray(given) || given.length === 0) {
    report('A list of rules is empty.', 'To exclude every caller, use nobody.')
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
    report('owner needs the name of a reference.', "Write it like owner('author').")
    return nobody
  },
  role: ({ roles }, report) => {
    if (areNames(roles)) return { kind: 'role', roles: [...roles] }
    report('role needs at least one role.', "Write it like role('admin').")
    return nobody
  },
  where: ({ fields }, report) => {
    const values = parseValues(fields)
    if (values) return { kind: 'where', fields: values }
    report('where needs at least one field with a value.', "Write it like where({ status: 'published' }).")
    return nobody
  },
  exists: ({ collection, fields }, report) => {
    const values = parseValues(fields)
    if (typeof collection === 'string' && values) return { kind: 'exists', collection, fields: values }
    report(
      'exists needs the name of a collection and at least one field with a value.',
      "Write it like exists('memberships', { user: caller, team: its('team') }).",
    )
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

/** Returns a copy of the fields and their values; undefined where there are none or one is invalid. */
function parseValues(fields: unknown): RuleFields | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined
  const entries = Object.entries(fields).map(([name, value]) => [name, findValue(value)] as const)
  if (entries.length === 0) return undefined
  const values = entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return values.length === entries.length ? Object.fromEntries(values) : undefined
}

function findValue(given: unknown): RuleValue | undefined {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
    return findDynamicValue(given as DynamicValue)
  }
  const constants = [given].flat()
  const isValid = constants.every((one) => /^(string|number|boolean)$/.test(typeof one))
  if (!isValid || constants.length === 0) return undefined
  return Array.isArray(given) ? (constants as readonly Constant[]) : (given as Constant)
}

function findDynamicValue(given: DynamicValue): DynamicValue | undefined {
  switch (given.kind) {
    case 'caller':
      return { kind: 'caller' }
    case 'caller-field':
      return areNames([given.name]) ? { kind: 'caller-field', name: given.name } : undefined
    case 'its':
      return areNames(given.path) ? { kind: 'its', path: [...given.path] } : undefined
    default:
      return undefined
  }
}

const valueKinds: readonly string[] = ['caller', 'caller-field', 'its']

function isDynamicValueKind(given: Rule | DynamicValue): given is DynamicValue {
  return valueKinds.includes(given.kind)
}

function formatValueName(kind: DynamicValue['kind']): string {
  return { caller: 'caller', 'caller-field': 'callerField(…)', its: 'its(…)' }[kind]
}
