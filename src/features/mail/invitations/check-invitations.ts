/** Checks the option `invitations`: who may invite people by mail. */

import type { ValidAccountsOptions } from '../../../definition/checks/accounts.ts'
import { type FaultList, prefixReport } from '../../../definition/definition-fault.ts'
import { anyValue, checkOptions, type OptionTable } from '../../../definition/option-table.ts'
import { parseOptionalRule } from '../../../definition/parse-rules.ts'
import type { DeclaredResource } from '../../../definition/resource-declaration.ts'
import type { Rule } from '../../../definition/rule.ts'

export const invitationsOptionTable = { by: anyValue } satisfies OptionTable

export interface InvitationsSettings {
  /** Who may invite. */
  readonly by: Rule
  /** Whether the definition says so. */
  readonly isOwnRule: boolean
  /** The roles that an invitation can name; undefined where accounts have none. */
  readonly roles: DeclaredRoles | undefined
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
  }
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
