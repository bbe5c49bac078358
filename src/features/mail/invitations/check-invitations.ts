/** Checks the option `invitations`: who may invite people by mail. */

import { administratorsOf } from '../../../definition/administrators.ts'
import { type FaultList, prefixReport } from '../../../definition/definition-fault.ts'
import { anyValue, checkOptions, type Options, type OptionTable } from '../../../definition/option-table.ts'
import { parseOptionalRule } from '../../../definition/parse-rules.ts'
import type { DeclaredResource } from '../../../definition/resource-declaration.ts'
import type { DeclaredRoles, InvitationsSettings } from './invitations-resource.ts'

export const invitationsOptionTable = { by: anyValue } satisfies OptionTable

/** Returns the settings; administrators may invite by default. Invitations need accounts and mail. */
export function checkInvitations(
  options: Options,
  declarations: ReadonlyMap<string, DeclaredResource>,
  faults: FaultList,
): InvitationsSettings {
  const { invitations, accounts, mail } = options
  const report = prefixReport('invitations', faults.at())
  const given = checkOptions(invitations, invitationsOptionTable, report)
  if (invitations !== undefined && accounts === undefined) {
    report('Invitations need accounts, but the service declares none.')
  } else if (invitations !== undefined && mail === undefined) {
    report('Invitations need mail.', "Add mail: { from: 'service@example.org' } to the service.")
  }
  const by = parseOptionalRule(given.by, report)
  return {
    by: by ?? administratorsOf(accounts),
    isOwnRule: by !== undefined,
    roles: findRoles((accounts ?? {}) as Options, declarations),
  }
}

/** The roles of the accounts; undefined also where the declaration has faults, which others report. */
function findRoles(
  { resource, roles }: Options,
  declarations: ReadonlyMap<string, DeclaredResource>,
): DeclaredRoles | undefined {
  const fields = typeof resource === 'string' ? declarations.get(resource)?.fields : undefined
  const field = fields?.find(({ name }) => name === roles)
  const choice = field?.item ?? field
  const values = choice?.declared.kind.choices === 'any' ? choice.options.values : undefined
  if (!field || !Array.isArray(values) || values.length === 0) return undefined
  const [usual] = [field.declared.default?.value].flat()
  return { names: values.map(String), usual: values.includes(usual) ? String(usual) : undefined }
}
