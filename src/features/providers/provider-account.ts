/**
 * The account of a person who signs in with a provider. It is bound to `iss` and `sub`, never to an address alone. A
 * first arrival joins an existing account only if the provider and the account have both proven the address; otherwise
 * another person could have made the account (account pre-hijacking). The account itself can link any identity.
 */

import { randomBytes } from 'node:crypto'
import { accountFromRow, findAccount, findAccountRow } from '../../access/basic-scheme.ts'
import { findBinding, insertBinding, listBindings } from '../../access/bound-account.ts'
import { findBasisAccount, requireSameBasis } from '../../access/credential-basis.ts'
import type { CredentialContext } from '../../access/credentials.ts'
import { createHashOfNone } from '../../access/password.ts'
import type { Account } from '../../access/principal.ts'
import { providerKind } from '../../definition/credentials-resource.ts'
import {
  type AccountsModel,
  type FieldModel,
  holdsMailAddress,
  IDENTITY,
  type JsonValue,
} from '../../definition/model.ts'
import { type Refusal, refuse, unavailable } from '../../refusal.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import { always } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { readField, updateFields } from '../../store/row-fields.ts'
import { findRow } from '../../store/table-rows.ts'
import type { Write } from '../../store/write.ts'
import { signInUri } from '../../views/uri.ts'
import { accountInsert, encodeAccount } from '../accounts/create-account.ts'
import { credentialNotice } from '../mail/account-notice.ts'
import type { ProvenIdentity } from './code-flow.ts'
import type { ProviderModel } from './provider-model.ts'
import type { AccountLink } from './sign-in-flow.ts'

/** A person who comes back from a provider. */
export interface Arrival {
  readonly provider: ProviderModel
  readonly identity: ProvenIdentity
  readonly requestId: string
}

interface ArrivalTables {
  readonly accounts: AccountsModel
  readonly credentials: CredentialContext
}

/** Attempts when concurrent requests bind the same subject. */
const maxAttempts = 5

/** The account; refuses 403 where there is none that the person may use. */
export async function requireProviderAccount(service: ServiceContext, arrival: Arrival): Promise<Account> {
  const tables = arrivalTables(service)
  const account = await bind(service, tables, arrival, () => planArrival(service, tables, arrival))
  return loadAccount(service, tables.accounts, account)
}

/** Binds the identity to the account that asked for it. Refuses 401 where that has ended, 403 an identity of another account. */
export async function linkProvider(
  service: ServiceContext,
  arrival: Arrival,
  link: AccountLink,
): Promise<void> {
  const tables = arrivalTables(service)
  const bound = await bind(service, tables, arrival, () => planLink(service, tables, arrival, link))
  if (bound === link.account) return
  throw refuse('forbidden', {
    detail: `This identity of ${arrival.provider.name} belongs to another account.`,
  })
}

function arrivalTables(service: ServiceContext): ArrivalTables {
  const { accounts } = service.model
  if (!accounts) throw new Error('Providers need accounts')
  return { accounts, credentials: accountsOf(service).credentials }
}

/** The identity of the account that the subject is bound to, by these writes where it was bound to none. */
async function bind(
  service: ServiceContext,
  { credentials }: ArrivalTables,
  arrival: Arrival,
  plan: () => Promise<readonly Write[]>,
): Promise<string> {
  const { store } = service
  const { issuer, subject } = arrival.identity
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const bound = await findBinding(credentials, arrival.identity)
    if (bound) {
      await showBinding(credentials, arrival, bound)
      return String(readField(credentials.resource, bound, 'account'))
    }
    // The next attempt reads the binding, whether this request or another one wrote it.
    await store.write(await plan(), { actor: { issuer, subject }, request: arrival.requestId })
    service.changes.wake()
  }
  throw unavailable('Too many requests are changing this account at once.')
}

/** Makes a binding that a JWT has made one of the provider, which its owner sees. */
async function showBinding(
  { resource, store, now }: CredentialContext,
  { provider, identity: { issuer, subject }, requestId: request }: Arrival,
  bound: Row,
): Promise<void> {
  if (readField(resource, bound, 'kind') === providerKind) return
  const at = new Date(now()).toISOString()
  const shown = { kind: providerKind, name: provider.name, confirmedAt: at }
  // Refused where a concurrent request has changed it.
  await store.write([updateFields(resource, bound, at, shown)], { actor: { issuer, subject }, request })
}

async function loadAccount(
  { store }: ServiceContext,
  accounts: AccountsModel,
  identity: string,
): Promise<Account> {
  const found = await findAccount(accounts, store, identity)
  if (found) return found.account
  throw noAccount()
}

/** The writes that bind the subject to an account, or create one. Refuses 403 a person without one. */
async function planArrival(
  service: ServiceContext,
  tables: ArrivalTables,
  arrival: Arrival,
): Promise<readonly Write[]> {
  const { identity, provider } = arrival
  const { accounts } = tables
  if (identity.email === undefined) {
    throw refuse('forbidden', {
      detail: `No account is bound to this identity, and ${provider.name} has not verified its address. ${linkHint(service, provider)}`,
    })
  }
  const isEmail = holdsMailAddress(accounts.login)
  const row = isEmail ? await findAccountRow(accounts, service.store, identity.email) : undefined
  if (row) return planJoin(service, tables, arrival, row)
  if (!provider.provision || !isEmail) throw noAccount()
  return planAccount(service, tables, arrival, identity.email)
}

function linkHint({ model }: ServiceContext, { name }: ProviderModel): string {
  return `Sign in with your password, then link ${name} at ${signInUri(model)}.`
}

/** The binding to the account that asked for it, as long as it could ask for it now. */
async function planLink(
  service: ServiceContext,
  tables: ArrivalTables,
  arrival: Arrival,
  link: AccountLink,
): Promise<readonly Write[]> {
  const account = await requireLinkingAccount(service, link)
  const row = await findRow(service.store, tables.accounts.resource, account.identity)
  if (!row) throw hasChanged()
  const writes = await planBinding(service, tables, arrival, row)
  return [...writes, ...(await requireSameBasis(service, account))]
}

/** The account with its session; refuses 401 where one of them has ended, or the password has changed. */
async function requireLinkingAccount(
  service: ServiceContext,
  { account: identity, session, passwordMark }: AccountLink,
): Promise<Account> {
  const account = await findBasisAccount(accountsOf(service).tokens, identity, session)
  if (account?.passwordMark !== passwordMark) throw hasChanged()
  return account
}

function hasChanged(): Refusal {
  return refuse('unauthenticated', { detail: 'The account has just changed. Sign in again.' })
}

/** The binding to the account with the same address, where both sides have proven it. */
async function planJoin(
  service: ServiceContext,
  tables: ArrivalTables,
  arrival: Arrival,
  row: Row,
): Promise<readonly Write[]> {
  const { accounts, credentials } = tables
  const { provider } = arrival
  if (!accountFromRow(accounts, row)) throw noAccount()
  const login = row[accounts.login.index]
  const others = await listBindings(credentials, String(row[IDENTITY]))
  if (!others.some((one) => readField(credentials.resource, one, 'provenLogin') === login)) {
    throw refuse('forbidden', {
      detail: `There is an account with your address. ${linkHint(service, provider)}`,
    })
  }
  return planBinding(service, tables, arrival, row)
}

/** The binding to a present account, and the mail to its owner. */
async function planBinding(
  service: ServiceContext,
  tables: ArrivalTables,
  arrival: Arrival,
  row: Row,
): Promise<readonly Write[]> {
  await requireNoOtherSubject(tables, row, arrival)
  const notice = await credentialNotice(service, 'credentialAdded', String(row[IDENTITY]))
  return [bindingWrite(tables, arrival, row), ...notice]
}

/** Refuses 403 where another subject of the issuer has the account. */
async function requireNoOtherSubject(
  { credentials }: ArrivalTables,
  row: Row,
  { identity, provider }: Pick<Arrival, 'identity' | 'provider'>,
): Promise<void> {
  const others = await listBindings(credentials, String(row[IDENTITY]))
  if (!others.some((one) => readField(credentials.resource, one, 'issuer') === identity.issuer)) return
  throw refuse('forbidden', {
    detail: `The account is bound to another identity of ${provider.name}. Sign in with that one.`,
  })
}

/** The account of a person who has none, with a proven address and without a password. */
async function planAccount(
  service: ServiceContext,
  tables: ArrivalTables,
  arrival: Arrival,
  email: string,
): Promise<readonly Write[]> {
  const { accounts } = tables
  const { resource, password, login } = accounts
  const { identity, requestId } = arrival
  const given = new Map<FieldModel, JsonValue>([[login, email]])
  const sent = {
    ...textsOf(accounts, identity.name ?? email),
    [password.name]: randomBytes(96).toString('base64url'),
  }
  const drafted = await encodeAccount(service, accounts, { sent, given })
  // No password matches the hash: the account has none before its owner sets one by mail.
  const fields = drafted.with(resource.fields.indexOf(password), createHashOfNone())
  const created = await accountInsert(service, requestId, { fields, conditionAfter: always })
  return [...created.writes, bindingWrite(tables, arrival, created.values)]
}

/** The name of the person for required texts, as the first account has its login there. */
function textsOf({ resource, login }: AccountsModel, name: string): Readonly<Record<string, string>> {
  const needed = resource.fields.filter(
    ({ required, kind, default: usual, ...field }) =>
      required && kind.isText && usual === undefined && field.name !== login.name,
  )
  return Object.fromEntries(needed.map((field) => [field.name, name]))
}

/** The binding. The proof of the login belongs to it only where the provider has verified that very address. */
function bindingWrite(
  { accounts, credentials }: ArrivalTables,
  { identity, provider: { name } }: Arrival,
  account: Row,
): Write {
  const { issuer, subject, email } = identity
  const login = account[accounts.login.index]
  const isProven = email !== undefined && accounts.login.encode(email) === login
  const provenLogin = isProven ? String(login) : ''
  const binding = { kind: providerKind, name, issuer, subject, provenLogin } as const
  return insertBinding(credentials, binding, String(account[IDENTITY]))
}

function noAccount(): Refusal {
  return refuse('forbidden', { detail: 'There is no account for you here. Ask the people of this service.' })
}
