/** The first start on an empty database: the first account, and the sample rows of the definition. */

import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { createHashOfNone, hashPassword, type PasswordCost } from '../access/password.ts'
import {
  type AccountsModel,
  holdsMailAddress,
  type JsonValue,
  type Model,
  type ResourceModel,
  type Stored,
} from '../definition/model.ts'
import { findSampleFaults, type Sample } from '../definition/sample-rows.ts'
import { always } from '../store/condition.ts'
import { openStore } from '../store/open-store.ts'
import { schemaOf } from '../store/schema/model-schema.ts'
import type { Store } from '../store/store.ts'
import { OperatorFault } from '../tools/operator-fault.ts'
import { scripts } from './scripts.ts'

export interface FirstAccount {
  readonly login: string
  /** The generated password, to be shown once; undefined when the operator chose the password. */
  readonly generatedPassword: string | undefined
}

export interface ChosenAccount {
  readonly login: string
  readonly password: string
  /** The cost of its password hash; the default is for all but tests. */
  readonly passwordCost?: PasswordCost
}

/** Thrown when the first account or a sample row is not valid; the message says what to change. */
export class FirstStartFault extends OperatorFault {}

/** Whether nothing was ever written to the store. */
export async function isUnused(store: Store): Promise<boolean> {
  const { last } = await store.logExtent()
  return last === 0 && (await store.readChanges(0, 1)).length === 0
}

/** Creates an administrator when there are no accounts, else returns undefined. There is no default password. */
export async function createFirstAccount(
  { accounts }: Model,
  store: Store,
  chosen: ChosenAccount | undefined,
): Promise<FirstAccount | undefined> {
  if (!accounts || (await store.count(accounts.resource.name, always)) > 0) return undefined
  const login = chosen?.login ?? defaultAdminLogin(accounts)
  const password = chosen?.password ?? randomBytes(15).toString('base64url')
  const values = firstValues(accounts, login, password)
  const faults = accounts.resource.validate(values)
  if (faults.length > 0) {
    const reasons = faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ')
    throw new FirstStartFault(
      `Cannot create the first account. ${reasons} Set accounts.first or RESTWELL_ADMIN.`,
    )
  }
  const row = await encodeRow(accounts.resource, values, { passwordCost: chosen?.passwordCost })
  await insert(store, accounts.resource, row, 'The first account')
  return { login, generatedPassword: chosen ? undefined : password }
}

function defaultAdminLogin({ login }: AccountsModel): string {
  return holdsMailAddress(login) ? 'admin@localhost' : 'admin'
}

/** The values of `first` with the admin role, and the login in every other required text field. */
function firstValues(accounts: AccountsModel, login: string, password: string) {
  const { resource, roles, adminRole, first } = accounts
  const values: Record<string, JsonValue> = {}
  for (const field of resource.fields) {
    if (field.required && field.default === undefined && field.kind.isText) values[field.name] = login
  }
  Object.assign(values, first)
  if (roles) values[roles.name] = roles.item ? [adminRole] : adminRole
  return { ...values, [accounts.login.name]: login, [accounts.password.name]: password }
}

/** Throws what a first start with this sample would throw, without a database of its own. */
export async function rehearseFirstStart(model: Model, sample: Sample): Promise<void> {
  const store = await openStore('file::memory:', schemaOf(model), ignore)
  try {
    await createFirstAccount(model, store, undefined)
    await insertSample(model, store, sample)
  } finally {
    await store.close()
  }
}

const ignore = () => undefined

/** Inserts the sample rows. Accounts among them get a random password that is not shown. */
export async function insertSample(model: Model, store: Store, sample: Sample): Promise<void> {
  const faults = findSampleFaults(model, sample)
  if (faults.length > 0) {
    throw new FirstStartFault(`The sample is not valid.\n  ${faults.join('\n  ')}`)
  }
  const identities = new Map<string, readonly string[]>()
  for (const [name, rows] of Object.entries(sample)) {
    identities.set(
      name,
      rows.map(() => randomUUIDv7()),
    )
  }
  for (const [name, rows] of Object.entries(sample)) {
    const resource = model.resources.get(name) as ResourceModel
    for (const [index, values] of rows.entries()) {
      const findIdentity: FindIdentity = (collection, at) => identities.get(collection)?.[at]
      const row = await encodeRow(resource, values, { findIdentity })
      const identified = [identities.get(name)?.[index] ?? null, ...row.slice(1)]
      await insert(store, resource, identified, `sample.${name}[${index}]`)
    }
  }
}

/** The checks of the definition that the values fail. */
export async function findFailedChecksOf(store: Store, resource: ResourceModel, values: readonly Stored[]) {
  if (!resource.logic) return []
  return (await scripts?.findFailedChecks({ store, clock: { now: Date.now } }, resource, values)) ?? []
}

/** Throws a FirstStartFault when the row fails a check of the definition, or the store refuses it. */
async function insert(store: Store, resource: ResourceModel, values: readonly Stored[], place: string) {
  const [failed] = await findFailedChecksOf(store, resource, values)
  if (failed) throw new FirstStartFault(`${place}.${failed.field}: ${failed.message}`)
  const write = { kind: 'insert', table: resource.name, values, conditionAfter: always } as const
  const written = await store.write([write], { actor: { name: 'first start' } })
  if (written.kind === 'done') return
  const { reason } = written
  const fields = 'columns' in reason ? reason.columns.join(', ') : ''
  if (reason.kind === 'duplicate') throw new FirstStartFault(`${place}: Another row has the same ${fields}.`)
  if (reason.kind === 'missing-reference') {
    throw new FirstStartFault(`${place}: ${fields} refers to a row that comes later. Move that row up.`)
  }
  throw new FirstStartFault(`The store refused ${place}: ${JSON.stringify(reason)}.`)
}

type FindIdentity = (collection: string, at: number) => string | undefined

interface EncodingOptions {
  /** Finds the identity of the sample row that a reference names. */
  readonly findIdentity?: FindIdentity
  readonly passwordCost?: PasswordCost | undefined
}

/** The values of a new row, with hashed passwords and default values. */
export async function encodeRow(
  { fields }: ResourceModel,
  values: Readonly<Record<string, JsonValue>>,
  { findIdentity, passwordCost }: EncodingOptions = {},
): Promise<readonly Stored[]> {
  const now = new Date().toISOString()
  const stored = fields.map(async (field): Promise<Stored> => {
    const value = values[field.name] ?? field.state?.initial ?? field.default
    if (field.kind.isHashed) {
      return typeof value === 'string' ? hashPassword(value, { cost: passwordCost }) : createHashOfNone()
    }
    if (value === undefined) return null
    if (field.ref) return findIdentity?.(field.ref.resource.name, Number(value)) ?? null
    if (field.refs) {
      const { name } = field.refs.resource
      const members = (value as readonly number[]).flatMap((at) => findIdentity?.(name, at) ?? [])
      return field.encode(members.sort())
    }
    return field.encode(value)
  })
  return [randomUUIDv7(), 1, now, now, ...(await Promise.all(stored))]
}
