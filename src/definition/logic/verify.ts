/**
 * Signatures of inbound requests, as users declare them. A declared secret is a variable of the environment, two during a
 * rotation; code that verifies by itself may give the texts of items.
 */

import { parseDuration } from '../duration.ts'
import type { Variable } from '../provider.ts'
import {
  createHmacModel,
  type HmacModel,
  type HmacParts,
  payloadOf,
  type SignedParts,
  verifySignature,
} from './signature.ts'

/** By `Symbol.for`, so that verifiers of another copy of this package are recognised. */
export const verifierBrand: unique symbol = Symbol.for('restwell.verifier')

declare const verified: unique symbol

/**
 * A request whose signature is valid.
 * @example
 * import type { SignedEvent } from 'restwell'
 *
 * function describe({ type, payload }: SignedEvent<{ readonly id: string }>): string {
 *   return `${type} ${payload.id}`
 * }
 */
export interface SignedEvent<Payload = unknown> {
  /** The sender's id of the event: the same in each repetition. */
  readonly id: string
  /** The sender's name of the kind of event, such as `checkout.session.completed`; empty where it has none. */
  readonly type: string
  /** The JSON of the content; a text where it is none. The value that `parse` returned, if it is declared. */
  readonly payload: Payload
}

/**
 * A check of signatures.
 * @example
 * import { env, github, type SignedEvent, type Verifier } from 'restwell'
 *
 * const verify: Verifier<SignedEvent> = github(env('GITHUB_SECRET'))
 */
export interface Verifier<Event> {
  readonly [verifierBrand]: VerifierDeclaration
  /** Only in the type. */
  readonly [verified]?: Event
  /**
   * The event of a request whose signature is valid, else undefined: for secrets that are values of items, in code for
   * `verify` of a route. Its tools have the present time: `hmac({ secret: row.secret, header }).verify(request, tools)`.
   */
  verify(request: Request, at?: { readonly now: string }): Promise<Event | undefined>
}

export interface VerifierDeclaration {
  readonly scheme: 'stripe' | 'github' | 'standardWebhooks' | 'hmac'
  /** Unchecked. */
  readonly options: object
}

/** Several are valid during a rotation. A declared verifier takes variables; `verify` of one takes texts, which may be missing. */
export type Secret = Variable | readonly Variable[] | Text | readonly Text[]

type Text = string | null | undefined

export interface VerifyOptions<Payload> {
  /** Returns the payload with its type. Where it throws, the response is 422. */
  readonly parse?: (payload: unknown) => Payload
  /** How far the signed time may be from the present, such as `'5 minutes'`, which is the default. */
  readonly tolerance?: string
}

/**
 * Webhooks of Stripe: `Stripe-Signature`. The payload is the whole event.
 * @example
 * const verify = stripe(env('STRIPE_WEBHOOK_SECRET'))
 */
export function stripe<Payload = unknown>(
  secret: Secret,
  options: VerifyOptions<Payload> = {},
): Verifier<SignedEvent<Payload>> {
  return declareVerifier('stripe', { secret, ...options })
}

/**
 * Webhooks of GitHub: `X-Hub-Signature-256`; the id is `X-GitHub-Delivery`, the type `X-GitHub-Event`. They have no time.
 * @example
 * const verify = github(env('GITHUB_WEBHOOK_SECRET'))
 */
export function github<Payload = unknown>(
  secret: Secret,
  options: Omit<VerifyOptions<Payload>, 'tolerance'> = {},
): Verifier<SignedEvent<Payload>> {
  return declareVerifier('github', { secret, ...options })
}

/**
 * Webhooks by the specification Standard Webhooks, as Restwell sends them: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`.
 * @example
 * const verify = standardWebhooks(env('PARTNER_SECRET'))
 */
export function standardWebhooks<Payload = unknown>(
  secret: Secret,
  options: VerifyOptions<Payload> = {},
): Verifier<SignedEvent<Payload>> {
  return declareVerifier('standardWebhooks', { secret, ...options })
}

export interface HmacOptions<Payload = unknown> extends VerifyOptions<Payload> {
  readonly secret: Secret
  /** The header field with the signature. */
  readonly header: string
  /** The text before the signature in the field, such as `sha256=`. */
  readonly prefix?: string
  /** `'sha256'` by default. */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512'
  /** `'hex'` by default. */
  readonly encoding?: 'hex' | 'base64'
  /** The header field with the time of signing, in seconds. Then `signed` must contain it. */
  readonly timestamp?: string
  /** The header field with the id of the event. Without it the id is the signature. */
  readonly id?: string
  /** The header field with the type of the event. */
  readonly type?: string
  /** The text that is signed; by default the content. */
  readonly signed?: (parts: SignedParts) => string
}

/**
 * Other HMAC signatures of the content.
 * @example
 * const verify = hmac({
 *   secret: env('SLACK_SECRET'),
 *   header: 'X-Slack-Signature',
 *   prefix: 'v0=',
 *   timestamp: 'X-Slack-Request-Timestamp',
 *   signed: ({ timestamp, content }) => `v0:${timestamp}:${content}`,
 * })
 */
export function hmac<Payload = unknown>(options: HmacOptions<Payload>): Verifier<SignedEvent<Payload>> {
  return declareVerifier('hmac', options)
}

function declareVerifier<Event>(scheme: VerifierDeclaration['scheme'], options: object): Verifier<Event> {
  const declaration = Object.freeze({ scheme, options })
  return Object.freeze({
    [verifierBrand]: declaration,
    // The event is that of the scheme.
    verify: (request: Request, at?: { readonly now: string }) =>
      verifyRequest(declaration, request, at) as Promise<Event | undefined>,
  })
}

interface GivenOptions extends VerifyOptions<unknown>, Partial<HmacParts> {
  readonly secret?: unknown
}

async function verifyRequest(
  { scheme, options }: VerifierDeclaration,
  request: Request,
  at: { readonly now: string } | undefined,
): Promise<SignedEvent | undefined> {
  // The function of each scheme has typed them.
  const { secret, tolerance = '5 minutes', parse, ...parts } = options as GivenOptions
  const octets = new Uint8Array(await request.clone().arrayBuffer())
  const model = {
    scheme,
    tolerance: requireTolerance(tolerance),
    hmac: scheme === 'hmac' ? requireHmac(parts) : undefined,
  }
  const signed = { fields: Object.fromEntries(request.headers), octets }
  const now = at ? Date.parse(at.now) : Date.now()
  const found = verifySignature(model, requireTexts(secret), signed, now)
  return 'reason' in found ? undefined : { ...found, payload: payloadOf({ parse }, octets) }
}

function requireTolerance(tolerance: string): number {
  const seconds = parseDuration(tolerance)
  if (seconds !== undefined) return seconds
  throw new TypeError(`The tolerance must be a duration such as '5 minutes', not '${tolerance}'.`)
}

function requireHmac({ header, ...parts }: Partial<HmacParts>): HmacModel {
  if (!header) throw new TypeError("hmac needs the option 'header'.")
  if (parts.timestamp !== undefined && !parts.signed) {
    throw new TypeError("With 'timestamp' the signed text must contain the time: add 'signed'.")
  }
  return createHmacModel({ header, ...parts })
}

/** The texts of secrets; an item may lack one. Without any no signature is valid. */
function requireTexts(secret: unknown): readonly string[] {
  const given = [secret].flat().filter((one) => one !== undefined && one !== null)
  if (given.every((one) => typeof one === 'string')) return given
  throw new TypeError(
    "'verify' of a verifier needs the texts of secrets. Variables are for declared verifiers.",
  )
}

/** Returns the declaration, or undefined when the value is no verifier. */
export function findVerifier(value: unknown): VerifierDeclaration | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Partial<Record<typeof verifierBrand, VerifierDeclaration>>)[verifierBrand]
}
