/** The creation of an account by a link in a mail or by a provider, with values that the service itself determines. */

import { randomUUIDv7 } from 'node:crypto'
import { anonymous } from '../../access/principal.ts'
import { type Rights, rightsOf } from '../../access/rights.ts'
import type { AccountsModel, FieldModel, JsonValue, Stored } from '../../definition/model.ts'
import { type ContentFault, invalidContent } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { beginLogic } from '../../requests/write/before-hooks.ts'
import { type ContentMembers, draftCreation } from '../../requests/write/draft-from-content.ts'
import { encodeValues } from '../../requests/write/encode-values.ts'
import { currentTimestamp } from '../../requests/write/prepare-insert.ts'
import { always, type Condition } from '../../store/condition.ts'
import type { Write } from '../../store/write.ts'

/** The values of a new account. */
export interface AccountContent {
  /** Values of the person itself, the password among them. */
  readonly sent: ContentMembers
  /** Values that the person cannot choose: the login, and roles. */
  readonly given: ReadonlyMap<FieldModel, JsonValue>
}

/**
 * The stored values of the fields in column order, without the password; refuses 422. The person may set the fields that
 * everyone may set.
 */
export async function encodeAccount(
  service: ServiceContext,
  accounts: AccountsModel,
  { sent, given }: AccountContent,
): Promise<readonly Stored[]> {
  const { resource } = accounts
  const names = [...given.keys()].map(({ name }) => name)
  const faults = names.filter((name) => Object.hasOwn(sent, name)).map(unknownMember)
  if (faults.length > 0) throw invalidContent(faults)
  const members = Object.fromEntries([...given].map(([{ name }, value]) => [name, value]))
  const writer = { resource, rights: withGiven(accounts, given), isTrue: isAlways }
  const draft = draftCreation(writer, { ...sent, ...members })
  const fields = await encodeValues(service, anonymous, resource.fields, draft, undefined)
  const values = [null, 1, '', '', ...fields]
  if (resource.logic) await service.logic?.requireChecks(service.store, anonymous, { resource, values })
  return fields
}

export function unknownMember(name: string): ContentFault {
  return { pointer: `/${name}`, rule: 'additionalProperties', detail: 'This field is unknown.' }
}

function withGiven({ resource }: AccountsModel, given: AccountContent['given']): Rights {
  const rights = rightsOf(resource, anonymous)
  const added = [...given.keys()].map((field) => [field, always] as const)
  return { ...rights, writability: new Map([...rights.writability, ...added]) }
}

function isAlways(condition: Condition | undefined): boolean {
  return condition?.kind === 'always'
}

/** The row of a new account, and the writes that create it. */
export interface AccountInsert {
  readonly values: readonly Stored[]
  readonly writes: readonly Write[]
}

/** The writes that create an account, after the hooks of the definition. */
export async function accountInsert(
  service: ServiceContext,
  requestId: string,
  { fields, conditionAfter }: { readonly fields: readonly Stored[]; readonly conditionAfter: Condition },
): Promise<AccountInsert> {
  const { accounts } = service.model
  if (!accounts) throw new Error('The service has no accounts')
  const { resource, password } = accounts
  const at = currentTimestamp(service)
  const drafted: readonly Stored[] = [randomUUIDv7(), 1, at, at, ...fields]
  const session = beginLogic({ service, unit: service, caller: anonymous, requestId }, resource, 'create')
  // Hooks run before the password is set, as in any other creation.
  const hooked = await session?.insert({
    resource,
    values: drafted.with(password.index, null),
    conditionAfter,
  })
  const values = hooked ? hooked.with(password.index, drafted[password.index] ?? null) : drafted
  const insert = { kind: 'insert', table: resource.name, values, conditionAfter } as const
  return { values, writes: [...(session?.writes.slice(0, -1) ?? []), insert] }
}
