/** Checks the option `accounts`: its resource and fields, and the values of the first account. */

import { usualAdmin } from '../administrators.ts'
import { credentialsRelation } from '../credentials-resource.ts'
import { currentPassword } from '../current-password.ts'
import { type FaultList, type FaultReport, prefixReport } from '../definition-fault.ts'
import { disabledName } from '../disabled-field.ts'
import {
  type AccountsModel,
  type AddedAccountFacts,
  type FieldModel,
  holdsMailAddress,
  type ResourceModel,
} from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  checkOptions,
  listOfTexts,
  nonEmptyText,
  type OptionsOf,
  type OptionTable,
  objectOption,
  required,
} from '../option-table.ts'
import { type CheckContext, findField, type ResolvedAccounts } from './check-context.ts'
import { needsRole } from './rule-audience.ts'

export const accountsOptionTable = {
  resource: required(nonEmptyText),
  login: required(nonEmptyText),
  password: required(nonEmptyText),
  roles: nonEmptyText,
  admin: nonEmptyText,
  signUp: { expected: "'by-mail'", accepts: (value) => value === 'by-mail' },
  first: objectOption,
  secondFactor: listOfTexts,
} satisfies OptionTable

export type ValidAccountsOptions = OptionsOf<typeof accountsOptionTable>

export interface DeclaredAccounts {
  readonly options: ValidAccountsOptions
  readonly found: ResolvedAccounts
  readonly login: FieldModel | undefined
  readonly password: FieldModel | undefined
}

type AccountsContext = Pick<CheckContext, 'declarations' | 'models' | 'faults'>

/** Returns the valid options; undefined for a service without accounts. */
export function parseAccountsOptions(given: unknown, faults: FaultList): ValidAccountsOptions | undefined {
  if (given === undefined) return undefined
  return checkOptions(given, accountsOptionTable, prefixReport('accounts', faults.at()))
}

/** Resolves the names in the options. */
export function resolveAccounts(options: ValidAccountsOptions, context: AccountsContext): DeclaredAccounts {
  const report = prefixReport('accounts', context.faults.at())
  const name = options.resource
  const resource = name === undefined ? undefined : context.models.get(name)
  if (name !== undefined && !context.declarations.has(name)) {
    report(`Unknown collection '${name}'.`, didYouMean(name, context.declarations.keys()))
  }
  const find = (option: 'roles' | 'login' | 'password') => {
    const field = options[option]
    if (resource === undefined || field === undefined) return undefined
    return findField(resource, field, { declarations: context.declarations, report })
  }
  const roles = find('roles')
  const hasRoles = options.roles !== undefined
  const found = { resource, roles, hasRoles, roleNames: roleNamesOf(roles) }
  return { options, found, login: find('login'), password: find('password') }
}

function roleNamesOf(roles: FieldModel | undefined): readonly string[] | undefined {
  const choice = roles?.item ?? roles
  return choice?.kind.choices === 'any' ? (choice.schema.enum as readonly string[]) : undefined
}

/** Reports the faults of a declaration. */
export function checkAccounts(declaration: DeclaredAccounts, context: CheckContext): void {
  const { resource, roles } = declaration.found
  const report = prefixReport('accounts', context.faults.at())
  if (declaration.login) checkLogin(declaration.login, report)
  if (declaration.password && !declaration.password.kind.isHashed) {
    report(
      `The field '${declaration.password.name}' must be a password(), not ${declaration.password.kind.name}().`,
    )
  }
  checkReservedNames(resource, context)
  checkRoles(declaration, report)
  if (resource && roles) checkEscalation(resource, roles, context.faults.at(resource.name, roles.name))
  // A misspelt name was reported; its field would be reported again as missing.
  const isResolved = declaration.login && declaration.password && (roles || !declaration.found.hasRoles)
  if (resource && isResolved) checkFirst(resource, declaration, context)
}

/** Names that the service itself uses on accounts, with their meanings. */
const reservedNames: readonly (readonly [name: string, meaning: string])[] = [
  [currentPassword.name, 'for changing the own password'],
  [credentialsRelation, 'for their second factors'],
]

function checkReservedNames(
  resource: ResourceModel | undefined,
  { faults, declarations }: CheckContext,
): void {
  const used = resource ? (declarations.get(resource.name)?.names ?? []) : []
  for (const [name, meaning] of reservedNames.filter(([name]) => used.includes(name))) {
    faults.at(resource?.name, name)(
      `The name '${name}' is reserved on accounts, ${meaning}.`,
      'Choose another name.',
    )
  }
}

function checkLogin(login: FieldModel, report: FaultReport): void {
  const { name, kind } = login
  if (!kind.isText && !holdsMailAddress(login)) {
    report(`The login '${name}' must be a text() or an email(), not ${kind.name}().`)
  }
  if (!login.unique) report(`The login '${name}' must be unique.`, 'Add .unique().')
  if (!login.required) report(`The login '${name}' cannot be optional.`, 'Remove .optional().')
  if (login.writeOnly) report(`The login '${name}' cannot be write-only.`, 'Remove .writeOnly().')
}

function checkRoles({ options, found }: DeclaredAccounts, report: FaultReport): void {
  const { roles, roleNames, hasRoles } = found
  for (const name of (['admin', 'secondFactor'] as const).filter(
    (one) => !hasRoles && options[one] !== undefined,
  )) {
    report(`The option '${name}' needs the option 'roles'.`)
  }
  if (roles === undefined) return
  if (roleNames === undefined) {
    report(`The roles '${roles.name}' must be a choice() or a list(choice()).`)
    return
  }
  for (const role of (options.secondFactor ?? []).filter((one) => !roleNames.includes(one))) {
    report(`'secondFactor' names the unknown role '${role}'.`, didYouMean(role, roleNames))
  }
  const { admin = usualAdmin } = options
  if (roleNames.includes(admin)) return
  report(
    `The admin role '${admin}' is not one of the roles.`,
    didYouMean(admin, roleNames) ?? "Set 'admin' to one of them.",
  )
}

/** A caller who may write its own roles could do anything. */
function checkEscalation(resource: ResourceModel, roles: FieldModel, report: FaultReport): void {
  if (roles.readOnly || (roles.writableBy && needsRole(roles.writableBy))) return
  const open = (['create', 'update'] as const).filter((action) => !needsRole(resource.access[action]))
  if (open.length === 0) return
  report(
    `Every caller who may ${open.join(' or ')} an account could give it any role.`,
    "Add .writableBy(role('admin')).",
  )
}

/** The first start creates an account, so every required field needs a value. */
function checkFirst(resource: ResourceModel, declaration: DeclaredAccounts, context: CheckContext): void {
  const report = prefixReport('accounts', context.faults.at())
  const { first = {} } = declaration.options
  const disabled = resource.fieldByName.get(disabledName)
  const given = [declaration.login, declaration.password, declaration.found.roles, disabled]
  for (const name of Object.keys(first)) {
    const field = findField(resource, name, { declarations: context.declarations, report })
    if (field === undefined) continue
    if (given.includes(field) || field.ref || field.refs || field.kind.isHashed) {
      report(`'first' cannot set '${name}'.`, 'Remove it.')
    }
    if (field.state && first[name] !== field.state.initial) {
      report(`'first' cannot set '${name}' to another state than '${field.state.initial}'.`)
    }
  }
  for (const { pointer, detail } of resource.validate(first)) {
    report(`'first' is not valid at ${pointer}: ${detail}`)
  }
  for (const field of resource.fields) {
    if (given.includes(field) || Object.hasOwn(first, field.name) || hasFirstValue(field)) continue
    report(
      `The first account needs a value for '${field.name}'.`,
      field.ref ? 'Make the field optional.' : "Add it to 'first'.",
    )
  }
}

/** A text without a pattern is set to the login. */
function hasFirstValue(field: FieldModel): boolean {
  if (!field.required || field.default !== undefined || field.state) return true
  return field.kind.isText && field.schema.allOf === undefined && !field.unique
}

/** Returns the model of a declaration without faults. */
export function createAccountsModel(
  { options, found, login, password }: DeclaredAccounts,
  { receivesMail = false, signsInByLink = false, providers = [] }: Partial<AddedAccountFacts>,
): AccountsModel {
  return {
    resource: found.resource!,
    login: login!,
    password: password!,
    roles: found.roles,
    disabled: found.resource!.fieldByName.get(disabledName)!,
    first: structuredClone(options.first ?? {}),
    receivesMail,
    signsInByLink,
    providers,
    signsUpByMail: options.signUp === 'by-mail',
    adminRole: options.admin ?? usualAdmin,
    secondFactor: new Set(options.secondFactor),
    selfChosenLogins: hasSelfChosenLogins(found.resource!, login!, found.roles),
  }
}

/** Whether a caller without a granted role can set a login. A role that is the default is not granted. */
function hasSelfChosenLogins(
  { access }: ResourceModel,
  login: FieldModel,
  roles: FieldModel | undefined,
): boolean {
  const usual = [roles?.default ?? []].flat().map(String)
  if (login.readOnly || (login.writableBy && needsRole(login.writableBy, usual))) return false
  return !needsRole(access.create, usual) || !needsRole(access.update, usual)
}
