/**
 * The account that an issuer's word stands for. Its first JWT binds an account to `iss` and `sub`;
 * from then on no other subject of that issuer is this account, whatever login it claims.
 *
 * Where people choose their own login, whoever made the account may not own the address. So the
 * password that was set before the issuer proved the address is void from then on, and with it
 * every session and token.
 */

import { randomUUIDv7 } from 'node:crypto'
import {
  type AccountsModel,
  FIRST_FIELD,
  type FieldModel,
  IDENTITY,
  type ResourceModel,
  type Stored,
  UPDATED_AT,
  VERSION,
} from '../definition/model.ts'
import { unavailable } from '../refusal.ts'
import { always, equals } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import type { InsertWrite, ReplaceWrite, Store, Write } from '../store/store.ts'
import { findAccount } from './basic-scheme.ts'
import { unknownPassword } from './password.ts'
import { digestOf } from './secret-token.ts'

export interface Identities {
  readonly resource: ResourceModel
  readonly accounts: AccountsModel
  readonly store: Store
  readonly now: () => number
}

/** What a verified JWT says of its caller. */
export interface VerifiedSubject {
  readonly issuer: string
  readonly subject: string
  readonly login: string
}

/** How often it is tried while others bind the same account. */
const attempts = 5

/** The row of the account, bound to the subject; undefined where the subject is not this account. */
export async function findBoundAccount(
  identities: Identities,
  arrival: VerifiedSubject,
): Promise<Row | undefined> {
  const { resource, accounts, store } = identities
  const value = digestOf(JSON.stringify([arrival.issuer, arrival.subject]))
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const account = await findAccount(accounts, store, arrival.login)
    if (!account) return undefined
    const lookup = { table: resource.name, column: 'subjectDigest', value, evaluate: [] }
    const bound = await store.find(lookup)
    if (bound) return read(resource, bound, 'account') === account[IDENTITY] ? account : undefined
    const writes = await bindingOf(identities, arrival, account)
    if (!writes) return undefined
    // Whether it was written or another request was quicker, it is looked up again.
    if (writes.length > 0) await store.write(writes)
  }
  throw unavailable('Too many others are changing this account.')
}

/**
 * The writes that bind the account: none where another request has just bound it to this subject,
 * undefined where it must not be bound to this subject.
 */
async function bindingOf(
  identities: Identities,
  arrival: VerifiedSubject,
  account: Row,
): Promise<readonly Write[] | undefined> {
  const { resource, accounts, store } = identities
  const others = await store.list({
    table: resource.name,
    condition: equals(['account'], account[IDENTITY] as string),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: 100,
    evaluate: [],
  })
  const bound = others.find((row) => read(resource, row, 'issuer') === arrival.issuer)
  if (bound) return read(resource, bound, 'subject') === arrival.subject ? [] : undefined
  const binding = insertionOf(identities, arrival, account)
  if (!accounts.chosenLogins) return [binding]
  if (others.length === 0) return [voiding(identities, account), binding]
  const login = account[accounts.login.at]
  return others.some((row) => read(resource, row, 'provenLogin') === login) ? [binding] : undefined
}

function insertionOf(
  { resource, accounts, now }: Identities,
  { issuer, subject }: VerifiedSubject,
  account: Row,
): InsertWrite {
  const identity = account[IDENTITY] as string
  const at = new Date(now()).toISOString()
  const kept: Readonly<Record<string, Stored>> = {
    account: identity,
    issuer,
    subject,
    provenLogin: account[accounts.login.at] ?? null,
    subjectDigest: digestOf(JSON.stringify([issuer, subject])),
    accountDigest: digestOf(JSON.stringify([issuer, identity])),
  }
  const fields = resource.fields.map(({ name }) => kept[name] ?? null)
  const values = [randomUUIDv7(), 1, at, at, ...fields]
  return { kind: 'insert', table: resource.name, values, result: always }
}

/** Gives the account a password that nobody knows. */
function voiding({ accounts, now }: Identities, account: Row): ReplaceWrite {
  const { resource, password } = accounts
  const [identity, version] = [account[IDENTITY] as string, account[VERSION] as number]
  const values = account
    .slice(0, FIRST_FIELD + resource.fields.length)
    .with(VERSION, version + 1)
    .with(UPDATED_AT, new Date(now()).toISOString())
    .with(password.at, unknownPassword())
  const conditions = { guard: always, result: always }
  return { kind: 'replace', table: resource.name, identity, version, values, ...conditions }
}

function read({ field }: ResourceModel, row: Row, name: string): Stored {
  return row[(field.get(name) as FieldModel).at] ?? null
}
