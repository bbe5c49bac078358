/** Checks the option `invitations`: who may invite people by mail, and the record that an invitation may carry. */

import type { ValidAccountsOptions } from '../../../definition/checks/accounts.ts'
import { type FaultList, type FaultReport, prefixReport } from '../../../definition/definition-fault.ts'
import { didYouMean } from '../../../definition/name-suggestion.ts'
import { anyValue, checkOptions, nonEmptyText, type OptionTable } from '../../../definition/option-table.ts'
import { parseOptionalRule } from '../../../definition/parse-rules.ts'
import type { DeclaredResource } from '../../../definition/resource-declaration.ts'
import type { Rule } from '../../../definition/rule.ts'

export const invitationsOptionTable = { by: anyValue, record: nonEmptyText } satisfies OptionTable

export interface InvitationsSettings {
  /** Who may invite. */
  readonly by: Rule
  /** Whether the definition says so. */
  readonly isOwnRule: boolean
  /** The roles that an invitation can name; undefined where accounts have none. */
  readonly roles: DeclaredRoles | undefined
  /** The record that is created with the account, and its reference to it; undefined: none. */
  readonly record: InvitedReference | undefined
}

/** A reference to accounts. */
interface InvitedReference {
  readonly resource: string
  readonly field: string
}

/** The roles of accounts. */
export interface DeclaredRoles {
  readonly names: readonly string[]
  /** Undefined: accounts have no role by default. */
  readonly usual: string | undefined
}

interface InvitationsContext {
  /** The options of accounts; undefined for a service without accounts. */
  readonly accounts: ValidAccountsOptions | undefined
  readonly hasMail: boolean
  readonly administrators: Rule
  readonly declarations: ReadonlyMap<string, DeclaredResource>
  readonly faults: FaultList
}

/** Returns the settings; administrators may invite by default. Invitations need accounts and mail. */
export function checkInvitations(given: unknown, context: InvitationsContext): InvitationsSettings {
  const { accounts, hasMail, administrators, declarations, faults } = context
  const report = prefixReport('invitations', faults.at())
  const options = checkOptions(given, invitationsOptionTable, report)
  if (given !== undefined && !accounts) {
    report('Invitations need accounts, but the service declares none.')
  } else if (given !== undefined && !hasMail) {
    report('Invitations need mail.', "Add mail: { from: 'service@example.org' } to the service.")
  }
  const by = parseOptionalRule(options.by, report)
  return {
    by: by ?? administrators,
    isOwnRule: by !== undefined,
    roles: accounts && findRoles(accounts, declarations),
    record: accounts && findReference(options.record, { accounts, declarations, report }),
  }
}

interface ReferenceContext extends Pick<InvitationsContext, 'declarations'> {
  readonly accounts: ValidAccountsOptions
  readonly report: FaultReport
}

/** The reference that the option names, such as `memberships.user`; undefined after reporting another one. */
function findReference(
  given: string | undefined,
  { accounts, declarations, report }: ReferenceContext,
): InvitedReference | undefined {
  if (given === undefined) return undefined
  const [resource = '', field = '', ...others] = given.split('.')
  const declared = declarations.get(resource)
  if (!declared || field === '' || others.length > 0) {
    const hint = "Write a resource and its reference to the accounts, such as 'memberships.user'."
    const known = others.length === 0 ? didYouMean(resource, [...declarations.keys()]) : undefined
    report(`The record '${given}' names no reference.`, declared ? hint : (known ?? hint))
    return undefined
  }
  const known = declared.fields.find(({ name }) => name === field)
  const toAccounts = declared.fields.filter(
    ({ target, declared: { kind } }) => kind.reference === 'one' && target === accounts.resource,
  )
  if (known && toAccounts.includes(known)) return { resource, field }
  // A field with a fault is not reported again.
  if (known || !declared.names.includes(field)) {
    const names = toAccounts.map(({ name }) => name)
    const hint = `Name a field with ref('${accounts.resource}').`
    const reason = known ? `does not refer to ${accounts.resource}` : 'names no field'
    report(`The record '${given}' ${reason}.`, didYouMean(field, names) ?? hint)
  }
  return undefined
}

/** The roles of the accounts; undefined also where the declaration has faults, which others report. */
function findRoles(
  { resource = '', roles }: ValidAccountsOptions,
  declarations: ReadonlyMap<string, DeclaredResource>,
): DeclaredRoles | undefined {
  const field = declarations.get(resource)?.fields.find(({ name }) => name === roles)
  const choice = field?.item ?? field
  const values = choice?.declared.kind.choices === 'any' ? choice.options.values : undefined
  if (!field || !Array.isArray(values) || values.length === 0) return undefined
  const [usual] = [field.declared.default?.value].flat()
  return { names: values.map(String), usual: values.includes(usual) ? String(usual) : undefined }
}
