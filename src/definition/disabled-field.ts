/**
 * `disabled`: the field of accounts by which administrators refuse all credentials of a person without deleting it.
 * `accountFromRow`, through which every credential becomes a caller, reads it, so no scheme can forget it.
 */

import type { FaultList } from './definition-fault.ts'
import { boolean } from './kinds/boolean.ts'
import { type DeclaredResource, parseFieldDeclaration } from './resource-declaration.ts'
import type { Rule } from './rule.ts'
import { nobody } from './rule-functions.ts'

/** Reserved on accounts. */
export const disabledName = 'disabled'

/** Adds the field to the accounts, at the end. Reports an own field with its name. */
export function withDisabledField(
  declarations: ReadonlyMap<string, DeclaredResource>,
  accounts: string | undefined,
  administrators: Rule,
  faults: FaultList,
): ReadonlyMap<string, DeclaredResource> {
  const declaration = accounts === undefined ? undefined : declarations.get(accounts)
  if (!declaration) return declarations
  const { name, names, fields, options } = declaration
  const report = faults.at(name, disabledName)
  if (names.includes(disabledName)) {
    report(
      `The name '${disabledName}' is reserved on accounts, for refusing their credentials.`,
      'Choose another name.',
    )
    return declarations
  }
  const declared = boolean().default(false).visibleTo(administrators)
  const given = administrators === nobody ? declared.readOnly() : declared.writableBy(administrators)
  const field = parseFieldDeclaration({ name: disabledName, given, options }, report)
  const extended = { ...declaration, names: [...names, disabledName], fields: [...fields, ...field] }
  return new Map([...declarations].map(([key, one]) => [key, one === declaration ? extended : one]))
}
