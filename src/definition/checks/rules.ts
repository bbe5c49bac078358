/** Checks that the fields, references, roles and values named by access rules exist. */

import { prefixReport } from '../definition-fault.ts'
import { disabledName } from '../disabled-field.ts'
import type { FieldModel, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import type { Rule } from '../rule.ts'
import { type CheckContext, findField } from './check-context.ts'
import { checkAccountsDeclared, checkExists, checkWhere, type RuleContext } from './value-rules.ts'

/** Reports the faults of every rule of the resource: its access, its fields and its transitions. */
export function checkRules(resource: ResourceModel, context: CheckContext): void {
  const { faults } = context
  for (const [action, rule] of Object.entries(resource.access)) {
    const report = prefixReport(`Access to ${action}`, faults.at(resource.name))
    checkRule(rule, { ...context, resource, report })
  }
  if (resource.history?.read) {
    const report = prefixReport('History', faults.at(resource.name))
    checkRule(resource.history.read, { ...context, resource, report })
  }
  const isAccounts = resource === context.accounts?.resource
  // The rules of `disabled` are correct, or a fault of `accounts`.
  const declared = resource.fields.filter(({ name }) => !isAccounts || name !== disabledName)
  for (const field of declared) {
    const check = (rule: Rule | undefined, prefix: string) => {
      const report = prefixReport(prefix, faults.at(resource.name, field.name))
      if (rule) checkRule(rule, { ...context, resource, report })
    }
    check(field.visibleTo, 'visibleTo')
    check(field.writableBy, 'writableBy')
    for (const { name, by } of field.state?.transitions ?? []) check(by, `Transition '${name}'`)
  }
}

/** Reports the faults of one rule. */
export function checkRule(rule: Rule, context: RuleContext): void {
  switch (rule.kind) {
    case 'anyone':
    case 'nobody':
      break
    case 'signed-in':
      requireCallers('signedIn', context)
      break
    case 'self':
      checkSelf(context)
      break
    case 'owner':
      checkOwner(rule.path, context)
      break
    case 'role':
      checkRoles(rule.roles, context)
      break
    case 'where':
      checkWhere(rule.fields, context)
      break
    case 'exists':
      checkExists(rule, context)
      break
    case 'any':
    case 'all':
      for (const one of rule.of) checkRule(one, context)
      break
    case 'not':
      checkRule(rule.of, context)
  }
}

/** For rules that external principals can satisfy too. */
function requireCallers(name: string, context: RuleContext): void {
  if (!context.issuers) checkAccountsDeclared(name, context)
}

function checkSelf(context: RuleContext): void {
  const { resource, report } = context
  checkAccountsDeclared('self', context)
  const accounts = context.accounts?.resource
  if (accounts === undefined || accounts === resource) return
  report(
    `The rule self applies only to accounts, and ${resource.name} is not the accounts resource.`,
    `Use owner('…') with a reference to ${accounts.name}.`,
  )
}

function checkOwner(path: readonly string[], context: RuleContext): void {
  checkAccountsDeclared('owner', context)
  const { declarations, report } = context
  let resource: ResourceModel | undefined = context.resource
  for (const step of path) {
    const field: FieldModel | undefined = findField(resource, step, { declarations, report })
    if (field === undefined) return
    if (field.ref === undefined) {
      const reason = field.refs ? 'a set of references, which no rule can follow' : 'not a reference'
      report(`owner('${path.join('.')}'): '${step}' is ${reason}.`)
      return
    }
    resource = field.ref.resource
    // An unknown target is reported at the reference itself.
    if (resource === undefined) return
  }
  const accounts = context.accounts?.resource
  if (accounts === undefined || resource === accounts) return
  report(
    `owner('${path.join('.')}') refers to ${resource.name}, not to ${accounts.name}.`,
    `End the path with a reference to ${accounts.name}.`,
  )
}

function checkRoles(roles: readonly string[], context: RuleContext): void {
  requireCallers('role', context)
  const { accounts, issuers, report } = context
  if (accounts === undefined) return
  if (!accounts.hasRoles && !issuers) {
    report('The rule role needs a field of roles.', "Name it in 'roles' of accounts.")
  }
  const { roleNames } = accounts
  if (roleNames === undefined) return
  for (const role of roles) {
    if (!roleNames.includes(role)) report(`Unknown role '${role}'.`, didYouMean(role, roleNames))
  }
}
