/**
 * Passkeys (WebAuthn Level 3): public keys of authenticators, each for the host of this service. The library that verifies
 * them is loaded when the first one is used.
 */

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { IDENTITY, type JsonValue, type Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { readField, updateFields } from '../store/row-fields.ts'
import type { UpdateWrite } from '../store/write.ts'
import { type CredentialContext, encryptionPurpose, kindOf } from './second-factor.ts'
import { sha256 } from './secret-token.ts'

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

/** The options of a registration. `known` are the ids of the passkeys that the account has already. */
export async function createPasskeyOptions(
  party: RelyingParty,
  account: { readonly identity: string; readonly login: string },
  known: readonly string[],
): Promise<NewPasskey> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const options = await generateRegistrationOptions({
    rpName: party.title,
    rpID: idOfParty(party),
    userName: account.login,
    userID: new Uint8Array(Buffer.from(account.identity)),
    timeout: challengeLifetime,
    excludeCredentials: known.map((id) => ({ id })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  // Plain JSON, by its own type.
  return { options: JSON.parse(JSON.stringify(options)) as JsonValue, challenge: options.challenge }
}

/** The values of a confirmed passkey; undefined where the response is not one to the challenge, origin and host. */
export async function findRegisteredPasskey(
  { encryption }: CredentialContext,
  party: RelyingParty,
  { identity, challenge }: { readonly identity: string; readonly challenge: string },
  response: unknown,
): Promise<Readonly<Record<string, Stored>> | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const result = await verified(() =>
    verifyRegistrationResponse({
      // The library checks it.
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: idOfParty(party),
      requireUserVerification: false,
    }),
  )
  if (!result?.verified) return undefined
  const { id, publicKey, counter } = result.registrationInfo.credential
  return {
    keyId: id,
    keyDigest: sha256(id),
    secret: encryption.encrypt(encryptionPurpose(identity), publicKey),
    counter,
  }
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

/** The confirmed passkey that made the response; undefined where there is none. */
export async function findPasskey(
  { resource, store }: CredentialContext,
  response: unknown,
): Promise<Row | undefined> {
  const id = (response as { readonly id?: unknown } | null)?.id
  if (typeof id !== 'string') return undefined
  const lookup = { table: resource.name, column: 'keyDigest', value: sha256(id), evaluated: [] }
  const row = await store.find(lookup)
  return row && kindOf(resource, row) === 'passkey' ? row : undefined
}

/**
 * The write that uses the passkey; undefined where the response is wrong: another origin or host, a counter that does
 * not grow, or a challenge that was used or is older than one that was used. The store refuses it where another request
 * has used the passkey in between.
 */
export async function findPasskeyWrite(
  context: CredentialContext,
  party: RelyingParty,
  { row, response, isOnlyFactor }: { row: Row; response: unknown; isOnlyFactor: boolean },
): Promise<UpdateWrite | undefined> {
  const { resource, now } = context
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const last = Number(readField(resource, row, 'lastStep') ?? 0)
  let at: number | undefined
  const result = await verified(() =>
    verifyAuthenticationResponse({
      // The library checks it.
      response: response as AuthenticationResponseJSON,
      expectedChallenge(challenge) {
        at = findChallengeTime(context, challenge)
        return at !== undefined && at > last
      },
      expectedOrigin: party.origin,
      expectedRPID: idOfParty(party),
      requireUserVerification: isOnlyFactor,
      credential: {
        id: String(readField(resource, row, 'keyId')),
        publicKey: new Uint8Array(openKey(context, row)),
        counter: Number(readField(resource, row, 'counter')),
      },
    }),
  )
  if (!result?.verified || at === undefined) return undefined
  const time = new Date(now()).toISOString()
  const { newCounter: counter } = result.authenticationInfo
  return updateFields(resource, row, time, { lastStep: at, counter, lastUsedOn: time.slice(0, 10) })
}

function openKey({ resource, encryption }: CredentialContext, row: Row): Buffer {
  return encryption.decrypt(
    encryptionPurpose(String(row[IDENTITY])),
    String(readField(resource, row, 'secret')),
  )
}

/** The library throws for every response that it refuses. */
async function verified<Result>(verify: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}
