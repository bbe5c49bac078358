/** Signatures of inbound requests, as users declare them. A secret is a variable of the environment; two during a rotation. */

import type { Variable } from '../provider.ts'

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
}

export interface VerifierDeclaration {
  readonly scheme: 'stripe' | 'github' | 'standardWebhooks' | 'hmac'
  /** Unchecked. */
  readonly options: object
}

/** Several are valid during a rotation. */
export type Secret = Variable | readonly Variable[]

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

export interface SignedParts {
  readonly content: string
  /** As it was sent; empty where there is none. */
  readonly timestamp: string
  readonly id: string
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
  return Object.freeze({ [verifierBrand]: Object.freeze({ scheme, options }) })
}

/** Returns the declaration, or undefined when the value is no verifier. */
export function findVerifier(value: unknown): VerifierDeclaration | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Partial<Record<typeof verifierBrand, VerifierDeclaration>>)[verifierBrand]
}
