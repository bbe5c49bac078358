/** Accounts: which resource they are, by which fields callers are known, and the first of them. */

import { currentPassword } from '../current-password.ts'
import type { FaultReport } from '../definition-fault.ts'
import type { AccountsModel, FieldModel, ResourceModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  checkOptions,
  nonEmptyText,
  type Options,
  type OptionTable,
  objectOption,
} from '../option-table.ts'
import { type CheckContext, findField, type ResolvedAccounts } from './check-context.ts'
import { needsRole } from './rule-audience.ts'

export const accountsOptionTable: OptionTable = {
  resource: nonEmptyText,
  login: nonEmptyText,
  password: nonEmptyText,
  roles: nonEmptyText,
  admin: nonEmptyText,
  first: objectOption,
}

export interface AccountsDraft {
  readonly options: Options
  readonly found: ResolvedAccounts
  readonly login: FieldModel | undefined
  readonly password: FieldModel | undefined
}

type Named = Pick<CheckContext, 'drafts' | 'models' | 'faults'>

/** Finds what the option names; undefined where the service has no accounts. */
export function createAccountsDraft(given: unknown, named: Named): AccountsDraft | undefined {
  if (given === undefined) return undefined
  const report = prefixAccounts(named.faults.at())
  const options = checkOptions(given, accountsOptionTable, report)
  for (const needed of ['resource', 'login', 'password']) {
    if (!objectOption.accepts(given) || Object.hasOwn(given as object, needed)) continue
    report(`The option '${needed}' is missing.`)
  }
  const name = options.resource as string | undefined
  const resource = name === undefined ? undefined : named.models.get(name)
  if (name !== undefined && !named.drafts.has(name)) {
    report(`No collection '${name}'.`, didYouMean(name, named.drafts.keys()))
  }
  const find = (option: string) => {
    if (resource === undefined || options[option] === undefined) return undefined
    return findField(resource, options[option] as string, { drafts: named.drafts, report })
  }
  const roles = find('roles')
  const hasRoles = options.roles !== undefined
  const found = { resource, roles, hasRoles, roleNames: roleNamesOf(roles) }
  return { options, found, login: find('login'), password: find('password') }
}

function prefixAccounts(report: FaultReport): FaultReport {
  return (reason, suggestion) => report(`accounts: ${reason}`, suggestion)
}

function roleNamesOf(roles: FieldModel | undefined): readonly string[] | undefined {
  const choice = roles?.item ?? roles
  return choice?.kind === 'choice' ? (choice.schema.enum as readonly string[]) : undefined
}

export function checkAccounts(draft: AccountsDraft, context: CheckContext): void {
  const { resource, roles } = draft.found
  const report = prefixAccounts(context.faults.at())
  if (draft.login) checkLogin(draft.login, report)
  if (draft.password && draft.password.kind !== 'password') {
    report(`'${draft.password.name}' must be a password(), not a ${draft.password.kind}.`)
  }
  if (draft.password && !draft.password.required) report('The password cannot be optional.')
  checkReservedName(resource, context)
  checkRoles(draft, report)
  if (resource && roles)
    checkEscalation(resource, roles, context.faults.at(resource.name, roles.name))
  // With a misspelt name the fields it meant would only be reported again as empty.
  const known = draft.login && draft.password && (roles || !draft.found.hasRoles)
  if (resource && known) checkFirst(resource, draft, context)
}

function checkReservedName(
  resource: ResourceModel | undefined,
  { faults, drafts }: CheckContext,
): void {
  const { name } = currentPassword
  if (!resource || !drafts.get(resource.name)?.names.includes(name)) return
  faults.at(
    resource.name,
    name,
  )(`The name '${name}' is reserved on accounts: whoever changes their own password sends it.`)
}

function checkLogin(login: FieldModel, report: FaultReport): void {
  const { name } = login
  if (login.kind !== 'text' && login.kind !== 'email') {
    report(`The login '${name}' must be a text or an email, not a ${login.kind}.`)
  }
  if (!login.unique) report(`The login '${name}' must be unique.`, 'Add .unique() to it.')
  if (!login.required) report(`The login '${name}' cannot be optional.`)
  if (login.writeOnly) report(`The login '${name}' cannot be write-only.`)
}

function checkRoles({ options, found }: AccountsDraft, report: FaultReport): void {
  const { roles, roleNames, hasRoles } = found
  if (!hasRoles && options.admin !== undefined) report("The option 'admin' needs 'roles'.")
  if (roles === undefined) return
  if (roleNames === undefined) {
    report(`The roles '${roles.name}' must be a choice, or a list of a choice.`)
    return
  }
  const admin = adminRole(options)
  if (roleNames.includes(admin)) return
  report(
    `The administrator's role '${admin}' is not among the roles.`,
    didYouMean(admin, roleNames) ?? "Name it in 'admin'.",
  )
}

function adminRole({ admin = 'admin' }: Options): string {
  return admin as string
}

/** Whoever may write their own roles may do anything. */
function checkEscalation(resource: ResourceModel, roles: FieldModel, report: FaultReport): void {
  if (roles.readOnly || (roles.writableBy && needsRole(roles.writableBy))) return
  const open = (['create', 'update'] as const).filter(
    (action) => !needsRole(resource.access[action]),
  )
  if (open.length === 0) return
  report(
    `Whoever may ${open.join(' or ')} an account could give it any role.`,
    "Add .writableBy(role('admin')).",
  )
}

/** The first account is made before anyone is there to fill in its fields. */
function checkFirst(resource: ResourceModel, draft: AccountsDraft, context: CheckContext): void {
  const report = prefixAccounts(context.faults.at())
  const first = (draft.options.first ?? {}) as Readonly<Record<string, unknown>>
  const given = [draft.login, draft.password, draft.found.roles]
  for (const name of Object.keys(first)) {
    const field = findField(resource, name, { drafts: context.drafts, report })
    if (field === undefined) continue
    if (given.includes(field) || field.ref || field.kind === 'password') {
      report(`'first' cannot give a value to '${name}'.`)
    }
    if (field.state && first[name] !== field.state.initial) {
      report(`'first' must leave '${name}' in its initial state.`)
    }
  }
  for (const { pointer, detail } of resource.validate(first)) {
    report(`'first' is not valid at ${pointer}: ${detail}`)
  }
  for (const field of resource.fields) {
    if (given.includes(field) || Object.hasOwn(first, field.name) || hasFirstValue(field)) continue
    report(
      `The first account would have no '${field.name}'.`,
      field.ref ? 'Make it optional.' : `Give it a value in 'first'.`,
    )
  }
}

/** Texts without a pattern take the login. */
function hasFirstValue(field: FieldModel): boolean {
  if (!field.required || field.default !== undefined || field.state) return true
  return field.kind === 'text' && field.schema.allOf === undefined && !field.unique
}

/** Only for a draft in which no fault was found. */
export function createAccountsModel({
  options,
  found,
  login,
  password,
}: AccountsDraft): AccountsModel {
  return {
    resource: found.resource!,
    login: login!,
    password: password!,
    roles: found.roles,
    first: structuredClone((options.first ?? {}) as Record<string, unknown>),
    adminRole: adminRole(options),
    selfChosenLogins: hasSelfChosenLogins(found.resource!, login!, found.roles),
  }
}

/** A role that every new account has is given to nobody. */
function hasSelfChosenLogins(
  { access }: ResourceModel,
  login: FieldModel,
  roles: FieldModel | undefined,
): boolean {
  const usual = [roles?.default ?? []].flat().map(String)
  if (login.readOnly || (login.writableBy && needsRole(login.writableBy, usual))) return false
  return !needsRole(access.create, usual) || !needsRole(access.update, usual)
}
