/** Passkeys (WebAuthn Level 3): public keys of authenticators, each for the host of this service. */

import { randomBytes } from 'node:crypto'
import { type CredentialContext, encryptionPurpose, kindOf } from '../../../access/credentials.ts'
import { sha256 } from '../../../access/secret-token.ts'
import { IDENTITY, type JsonValue, type Stored } from '../../../definition/model.ts'
import type { Row } from '../../../store/row.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import { findRow } from '../../../store/table-rows.ts'
import type { UpdateWrite } from '../../../store/write.ts'
import { offeredAlgorithms } from './signature-key.ts'
import { findNewCounter, findRegisteredKey, type RegisteredKey } from './webauthn.ts'

/** The service as browsers know it. */
export interface RelyingParty {
  readonly title: string
  /** Scheme and authority of its pages. */
  readonly origin: string
}

/** The relying party of a service at its public URL, or at the origin that the client used. */
export function relyingPartyAt(title: string, publicUrl: string | undefined, origin: string): RelyingParty {
  return { title, origin: publicUrl === undefined ? origin : new URL(publicUrl).origin }
}

/** The host: passkeys are bound to it, without the port. */
function idOfParty({ origin }: RelyingParty): string {
  return new URL(origin).hostname
}

/** In milliseconds: how long a person has to use the authenticator. */
const challengeLifetime = 300_000

export interface NewPasskey {
  /** The options for `navigator.credentials.create()`, as JSON. */
  readonly options: JsonValue
  /** In base64url. */
  readonly challenge: string
}

/** In octets. WebAuthn, "Cryptographic Challenges", recommends at least 16. */
const challengeLength = 32

/** The options of a registration. `known` are the ids of the passkeys that the account has already. */
export function createPasskeyOptions(
  party: RelyingParty,
  account: { readonly identity: string; readonly login: string },
  known: readonly string[],
): NewPasskey {
  const challenge = randomBytes(challengeLength).toString('base64url')
  const options = {
    challenge,
    rp: { name: party.title, id: idOfParty(party) },
    user: {
      id: Buffer.from(account.identity).toString('base64url'),
      name: account.login,
      displayName: '',
    },
    pubKeyCredParams: offeredAlgorithms.map((alg) => ({ alg, type: 'public-key' })),
    timeout: challengeLifetime,
    attestation: 'none',
    excludeCredentials: known.map((id) => ({ id, type: 'public-key' })),
    authenticatorSelection: {
      residentKey: 'preferred',
      userVerification: 'preferred',
      requireResidentKey: false,
    },
    extensions: { credProps: true },
    hints: [],
  }
  return { options, challenge }
}

/** The values of a confirmed passkey; undefined where the response is not one to the challenge, origin and host. */
export function findRegisteredPasskey(
  { encryption }: CredentialContext,
  party: RelyingParty,
  { identity, challenge }: { readonly identity: string; readonly challenge: string },
  response: unknown,
): Readonly<Record<string, Stored>> | undefined {
  const registered = findRegisteredKey(response, {
    origin: party.origin,
    host: idOfParty(party),
    isVerificationRequired: false,
    isExpectedChallenge: (sent) => sent === challenge,
  })
  if (!registered) return undefined
  const { id, counter } = registered
  return {
    keyId: id,
    keyDigest: sha256(id),
    secret: encryption.encrypt(encryptionPurpose(identity), encodeKey(registered)),
    counter,
  }
}

/** The parts of a key that never change, as they are encrypted. */
interface EncodedKey {
  /** In base64url. */
  readonly publicKey: string
  readonly backupEligible: boolean
}

function encodeKey({ publicKey, isBackupEligible }: RegisteredKey): Buffer {
  const encoded: EncodedKey = {
    publicKey: publicKey.toString('base64url'),
    backupEligible: isBackupEligible,
  }
  return Buffer.from(JSON.stringify(encoded))
}

const challengePurpose = 'passkey challenge'

/** A challenge that proves its time, so that none is stored. */
export function createChallenge({ encryption, now }: CredentialContext): string {
  return encryption.encrypt(challengePurpose, Buffer.from(String(now())))
}

/** When the challenge was made; undefined for one that was not made here, or is too old. */
function findChallengeTime({ encryption, now }: CredentialContext, challenge: string): number | undefined {
  try {
    const at = Number(encryption.decrypt(challengePurpose, challenge).toString())
    return now() - at <= challengeLifetime ? at : undefined
  } catch {
    // Not made here.
    return undefined
  }
}

/** The options for `navigator.credentials.get()`. Without ids, the authenticator offers the accounts that it knows. */
export function passkeyRequestOptions(
  context: CredentialContext,
  party: RelyingParty,
  ids: readonly string[],
): JsonValue {
  return {
    challenge: createChallenge(context),
    rpId: idOfParty(party),
    timeout: challengeLifetime,
    userVerification: ids.length === 0 ? 'required' : 'preferred',
    allowCredentials: ids.map((id) => ({ id, type: 'public-key' })),
  }
}

/** A form sends the response as a text. Other texts than JSON are refused like any wrong response. */
export function parsePasskeyResponse(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent
  try {
    return JSON.parse(sent)
  } catch {
    return undefined
  }
}

/** The confirmed passkey that made the response; undefined where there is none. */
export async function findPasskey(
  { resource, store }: CredentialContext,
  response: unknown,
): Promise<Row | undefined> {
  const id = (response as { readonly id?: unknown } | null)?.id
  if (typeof id !== 'string') return undefined
  const row = await findRow(store, resource, sha256(id), 'keyDigest')
  return row && kindOf(resource, row) === 'passkey' ? row : undefined
}

/**
 * The write that uses the passkey; undefined where the response is wrong: another origin or host, a counter that does
 * not grow, or a challenge that was used or is older than one that was used. The store refuses it where another request
 * has used the passkey in between.
 */
export function findPasskeyWrite(
  context: CredentialContext,
  party: RelyingParty,
  { row, response, isOnlyFactor }: { row: Row; response: unknown; isOnlyFactor: boolean },
): UpdateWrite | undefined {
  const { resource, now } = context
  const known = findStoredKey(context, row)
  if (!known) return undefined
  const last = Number(readField(resource, row, 'lastStep') ?? 0)
  let at: number | undefined
  const counter = findNewCounter(response, known, {
    origin: party.origin,
    host: idOfParty(party),
    isVerificationRequired: isOnlyFactor,
    isExpectedChallenge(challenge) {
      at = findChallengeTime(context, challenge)
      return at !== undefined && at > last
    },
  })
  if (counter === undefined || at === undefined) return undefined
  const time = new Date(now()).toISOString()
  return updateFields(resource, row, time, { lastStep: at, counter, lastUsedOn: time.slice(0, 10) })
}

/** The key of the row; undefined where it was encrypted with another key of the service. */
function findStoredKey({ resource, encryption }: CredentialContext, row: Row): RegisteredKey | undefined {
  const purpose = encryptionPurpose(String(row[IDENTITY]))
  try {
    const encoded = encryption.decrypt(purpose, String(readField(resource, row, 'secret')))
    // Encrypted by `findRegisteredPasskey`.
    const { publicKey, backupEligible } = JSON.parse(encoded.toString()) as EncodedKey
    return {
      id: String(readField(resource, row, 'keyId')),
      publicKey: Buffer.from(publicKey, 'base64url'),
      counter: Number(readField(resource, row, 'counter')),
      isBackupEligible: backupEligible,
    }
  } catch {
    // Refused like a wrong response: the person registers the passkey again.
    return undefined
  }
}
