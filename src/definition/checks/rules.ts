/** Rules held against the resource they stand in: fields, references, roles and values exist. */

import type { FaultReport } from '../definition-fault.ts'
import type { FieldModel, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import type { Rule } from '../rule.ts'
import { type Checking, findField } from './check-context.ts'

export function checkRules(resource: ResourceModel, checking: Checking): void {
  const { faults } = checking
  for (const [action, rule] of Object.entries(resource.access)) {
    const report = faults.at(resource.name)
    checkRule(rule, { resource, checking, report: prefixed(`Access to ${action}`, report) })
  }
  for (const field of resource.fields) {
    const report = faults.at(resource.name, field.name)
    const within = (what: string) => ({ resource, checking, report: prefixed(what, report) })
    if (field.visibleTo) checkRule(field.visibleTo, within('visibleTo'))
    if (field.writableBy) checkRule(field.writableBy, within('writableBy'))
    for (const { name, by } of field.state?.transitions ?? []) {
      if (by) checkRule(by, within(`Transition '${name}'`))
    }
  }
}

function prefixed(what: string, report: FaultReport): FaultReport {
  return (reason, suggestion) => report(`${what}: ${reason}`, suggestion)
}

interface Standing {
  readonly resource: ResourceModel
  readonly checking: Checking
  readonly report: FaultReport
}

function checkRule(rule: Rule, standing: Standing): void {
  switch (rule.kind) {
    case 'anyone':
    case 'nobody':
      break
    case 'signed-in':
      needCallers('signedIn', standing)
      break
    case 'self':
      checkSelf(standing)
      break
    case 'owner':
      checkOwner(rule.path, standing)
      break
    case 'role':
      checkRoles(rule.roles, standing)
      break
    case 'where':
      checkWhere(rule.fields, standing)
      break
    case 'any':
    case 'all':
      for (const one of rule.of) checkRule(one, standing)
      break
    case 'not':
      checkRule(rule.of, standing)
  }
}

function needAccounts(name: string, { checking, report }: Standing): void {
  if (checking.accounts !== undefined) return
  report(
    `The rule ${name} needs accounts, and the service declares none.`,
    "Add accounts: { resource: 'users', login: 'email', password: 'password' }.",
  )
}

/** For rules that a caller without an account may satisfy. */
function needCallers(name: string, standing: Standing): void {
  if (!standing.checking.issuers) needAccounts(name, standing)
}

function checkSelf(standing: Standing): void {
  const { resource, checking, report } = standing
  needAccounts('self', standing)
  const accounts = checking.accounts?.resource
  if (accounts === undefined || accounts === resource) return
  report(
    `The rule self means a caller's own account, and ${resource.name} are no accounts.`,
    `Use owner('…') with a reference to ${accounts.name}.`,
  )
}

function checkOwner(path: readonly string[], standing: Standing): void {
  needAccounts('owner', standing)
  const { checking, report } = standing
  const { drafts } = checking
  let resource: ResourceModel | undefined = standing.resource
  for (const step of path) {
    const field: FieldModel | undefined = findField(resource, step, { drafts, report })
    if (field === undefined) return
    if (field.ref === undefined) {
      report(`owner('${path.join('.')}'): '${step}' is not a reference.`)
      return
    }
    resource = field.ref.resource
    // An unknown target is reported at the reference itself.
    if (resource === undefined) return
  }
  const accounts = checking.accounts?.resource
  if (accounts === undefined || resource === accounts) return
  report(`owner('${path.join('.')}') ends at ${resource.name}, not at ${accounts.name}.`)
}

function checkRoles(roles: readonly string[], standing: Standing): void {
  needCallers('role', standing)
  const { checking, report } = standing
  const { accounts } = checking
  if (accounts === undefined) return
  if (!accounts.hasRoles && !checking.issuers) report("The rule role needs 'roles' in accounts.")
  const { roleNames } = accounts
  if (roleNames === undefined) return
  for (const role of roles) {
    if (!roleNames.includes(role)) report(`No role '${role}'.`, didYouMean(role, roleNames))
  }
}

/** Kinds whose values a rule cannot be compared with: not single, or not shown as they are kept. */
const incomparable = ['list', 'json', 'ref', 'password']

function checkWhere(fields: Readonly<Record<string, unknown>>, standing: Standing): void {
  const { resource, checking, report } = standing
  for (const [name, given] of Object.entries(fields)) {
    const field = findField(resource, name, { drafts: checking.drafts, report })
    if (field === undefined) continue
    if (incomparable.includes(field.kind) || field.writeOnly) {
      report(
        `where cannot compare '${name}', which is ${field.writeOnly ? 'write-only' : `a ${field.kind}`}.`,
      )
      continue
    }
    for (const value of [given].flat()) {
      const [fault] = resource.validate({ [name]: value })
      if (fault === undefined) continue
      const choices = (field.schema.enum ?? []) as readonly string[]
      report(
        `where: '${value}' is no value of '${name}'. ${fault.detail}`,
        didYouMean(String(value), choices),
      )
    }
  }
}
