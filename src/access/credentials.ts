/** Second factors of accounts: authenticators that make codes (RFC 6238), and recovery codes. */

import { randomBytes, randomUUIDv7 } from 'node:crypto'
import {
  type CredentialKind,
  credentialsName,
  providerKind,
  shownKinds,
} from '../definition/credentials-resource.ts'
import {
  type AccountsModel,
  IDENTITY,
  type Model,
  type ResourceModel,
  type Stored,
} from '../definition/model.ts'
import { all, type Condition, equals, isOneOf, not, present } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { readField, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { insertFields, listRows, stillCounts } from '../store/table-rows.ts'
import type { InsertWrite, RepeatRead, UpdateWrite } from '../store/write.ts'
import type { ValueEncryption } from '../tools/value-encryption.ts'
import { sha256 } from './secret-token.ts'
import { findTotpStep, formatBase32 } from './totp.ts'

export interface CredentialContext {
  readonly resource: ResourceModel
  readonly store: Store
  readonly encryption: ValueEncryption
  readonly now: () => number
}

/** The table of credentials; undefined for a service without accounts. */
export function credentialsOf({ ownTables }: Model): ResourceModel | undefined {
  return ownTables.get(credentialsName)
}

/** The confirmed authenticators of the account. A condition, so that the store can check it again. */
export function hasSecondFactorCondition(account: string): Condition {
  const isFactor = [...otherKinds].map((kind) => not(equals(['kind'], kind)))
  return all([equals(['account'], account), ...isFactor, present(['confirmedAt'])])
}

/** The kinds that are no second factors by themselves. */
const otherKinds: ReadonlySet<CredentialKind> = new Set(['recovery-codes', providerKind])

/** Whether signing in needs this credential, or another such one, after the password. */
export function isSecondFactor(resource: ResourceModel, row: Row): boolean {
  return !otherKinds.has(kindOf(resource, row)) && isConfirmed(resource, row)
}

/** Whether signing in to the account needs more than its password. */
export async function hasSecondFactor(model: Model, store: Store, account: string): Promise<boolean> {
  const table = credentialsOf(model)
  return table !== undefined && (await store.count(table.name, hasSecondFactorCondition(account))) > 0
}

/** Whether one of the roles requires a second factor. */
export function needsSecondFactor({ secondFactor }: AccountsModel, roles: ReadonlySet<string>): boolean {
  return [...secondFactor].some((role) => roles.has(role))
}

/** Refuses writes, as stale, where the account has got a second factor. */
export function stillWithoutSecondFactor(resource: ResourceModel, account: string): RepeatRead {
  return stillCounts(resource, hasSecondFactorCondition(account), 0)
}

const maxCredentials = 100

/** The credentials that responses show; the others are bindings. */
export const isShown: Condition = isOneOf(['kind'], shownKinds)

/** The credentials of the account beside its password. */
export async function listCredentials(
  { resource, store }: Pick<CredentialContext, 'resource' | 'store'>,
  account: string,
): Promise<readonly Row[]> {
  return listRows(store, resource, {
    condition: all([equals(['account'], account), isShown]),
    limit: maxCredentials,
  })
}

export function kindOf(resource: ResourceModel, row: Row): CredentialKind {
  return readField(resource, row, 'kind') as CredentialKind
}

export function isConfirmed(resource: ResourceModel, row: Row): boolean {
  return readField(resource, row, 'confirmedAt') !== null
}

/**
 * The write that uses up the code, of an authenticator or a recovery code; undefined for a wrong one. The store refuses
 * it where another request has used a code of the same credential in between.
 */
export async function findCodeWrite(
  context: CredentialContext,
  account: string,
  code: string,
): Promise<UpdateWrite | undefined> {
  const { resource } = context
  const rows = (await listCredentials(context, account)).filter((row) => isConfirmed(resource, row))
  for (const row of rows) {
    const write = findWriteUsingCode(context, row, code)
    if (write) return write
  }
  return undefined
}

/** The write that uses up the code of this credential; undefined where the code is wrong. */
export function findWriteUsingCode(
  context: CredentialContext,
  row: Row,
  code: string,
  changed: Readonly<Record<string, Stored>> = {},
): UpdateWrite | undefined {
  const { resource, now } = context
  const at = new Date(now()).toISOString()
  const used = acceptedValues(context, row, code)
  return used && updateFields(resource, row, at, { ...used, lastUsedOn: at.slice(0, 10), ...changed })
}

/** The values of the credential after its use. */
function acceptedValues(
  context: CredentialContext,
  row: Row,
  code: string,
): Readonly<Record<string, Stored>> | undefined {
  switch (kindOf(context.resource, row)) {
    case 'totp': {
      const step = findStep(context, row, code)
      return step === undefined ? undefined : { lastStep: step }
    }
    case 'passkey':
    case 'provider':
      return undefined
    case 'recovery-codes':
      return withoutCode(context, row, code)
  }
}

function findStep(
  { resource, encryption, now }: CredentialContext,
  row: Row,
  code: string,
): number | undefined {
  const key = encryption.decrypt(
    encryptionPurpose(String(row[IDENTITY])),
    String(readField(resource, row, 'secret')),
  )
  const last = Number(readField(resource, row, 'lastStep') ?? 0)
  return findTotpStep(key, code.replaceAll(/\s/g, ''), { now: now(), last })
}

/** An encrypted key belongs to one credential. */
export function encryptionPurpose(identity: string): string {
  return `credential ${identity}`
}

function withoutCode({ resource }: CredentialContext, row: Row, code: string) {
  const field = resource.fieldByName.get('recoveryCodes')
  const digests = field?.decode(readField(resource, row, 'recoveryCodes') as string) as string[]
  const used = digestOf(String(row[IDENTITY]), code)
  if (!digests.includes(used)) return undefined
  const left = digests.filter((digest) => digest !== used)
  return { recoveryCodes: field?.encode(left) ?? null, remaining: left.length }
}

/** Spaces, hyphens and letter case do not matter. */
function digestOf(identity: string, code: string): string {
  return sha256(`${identity} ${code.replaceAll(/[\s-]/g, '').toUpperCase()}`)
}

const codeCount = 10
/** 80 bits: a fast digest suffices. */
const codeLength = 10

export interface NewRecoveryCodes {
  /** Shown once; only their digests are stored. */
  readonly codes: readonly string[]
  readonly write: InsertWrite
}

/** Ten new recovery codes. */
export function createRecoveryCodes(context: CredentialContext, account: string): NewRecoveryCodes {
  const identity = randomUUIDv7()
  const codes = Array.from({ length: codeCount }, () =>
    (formatBase32(randomBytes(codeLength)).match(/.{4}/g) ?? []).join('-'),
  )
  const digests = codes.map((code) => digestOf(identity, code))
  const { resource, now } = context
  const stored = {
    account,
    kind: 'recovery-codes',
    confirmedAt: new Date(now()).toISOString(),
    remaining: codeCount,
    recoveryCodes: resource.fieldByName.get('recoveryCodes')?.encode(digests) ?? null,
  }
  return { codes, write: insertCredential(context, identity, stored) }
}

/** The write that stores a new credential. */
export function insertCredential(
  { resource, now }: Pick<CredentialContext, 'resource' | 'now'>,
  identity: string,
  stored: Readonly<Record<string, Stored>>,
): InsertWrite {
  const at = new Date(now()).toISOString()
  return insertFields(resource, at, stored, identity)
}
