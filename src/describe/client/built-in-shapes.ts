/** The shapes of the collections that a service has by itself: tokens and webhooks with accounts, invitations with mail, and jobs. */

import type { Job } from '../../definition/job.ts'
import type { Below, Shape } from './types.ts'

/** Access tokens of the caller. Only the result of `create` contains the secret `token`. */
export interface TokenShape {
  readonly row: TokenRow
  readonly create: Partial<Pick<TokenRow, 'name' | 'scopes'>> & { readonly expiresIn?: number }
  readonly created: TokenRow & { readonly token: string }
  readonly replace: never
  readonly patch: never
  readonly filter: TokenRow
  readonly embed: object
  readonly groups: Omit<TokenRow, 'scopes'>
  readonly aggregates: { readonly count: number }
  readonly sets: never
}

interface TokenRow {
  readonly id: string
  readonly name?: string
  readonly scopes: readonly string[]
  readonly expiresAt?: string
  readonly lastUsedOn?: string
  readonly owner: string
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * Webhooks of the caller. Only the results of `create` and `rotate` contain the `secret`. `ping` sends a
 * test, and `api.webhooks.deliveries(id).redeliver(delivery, {})` a message again.
 */
export interface WebhookShape {
  readonly row: WebhookRow
  readonly create: Pick<WebhookRow, 'url' | 'events'> & { readonly active?: boolean }
  readonly created: WebhookRow & { readonly secret: string }
  readonly replace: WebhookShape['create']
  readonly patch: Partial<WebhookShape['create']>
  readonly filter: WebhookRow
  readonly embed: object
  readonly groups: Omit<WebhookRow, 'events'>
  readonly aggregates: { readonly count: number }
  readonly sets: never
  readonly below: {
    readonly deliveries: Below<DeliveryShape, 'webhook'> & {
      readonly actions: { readonly redeliver: Operation<undefined> }
    }
  }
  readonly actions: {
    readonly ping: Operation<undefined>
    readonly rotate: Operation<WebhookShape['created']>
  }
}

interface WebhookRow {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  readonly owner: string
  readonly previousSecretUntil?: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** Invitations of people by mail, where the service has mail. */
export interface InvitationShape {
  readonly row: InvitationRow
  readonly create: Pick<InvitationRow, 'email' | 'role'>
  readonly replace: never
  readonly patch: never
  readonly filter: InvitationRow
  readonly embed: object
  readonly groups: InvitationRow
  readonly aggregates: { readonly count: number }
  readonly sets: never
}

interface InvitationRow {
  readonly id: string
  readonly email: string
  readonly role?: string
  readonly invitedBy: string
  readonly expiresAt?: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** An operation on an item, without input. */
interface Operation<Result> {
  readonly on: 'item'
  readonly input: Record<never, never>
  readonly result: Result
}

/** Attempts to deliver the messages of a webhook. */
interface DeliveryShape extends Shape {
  readonly row: DeliveryRow
  readonly create: never
  readonly replace: never
  readonly patch: never
  readonly filter: DeliveryRow
  readonly groups: DeliveryRow
  readonly aggregates: { readonly count: number }
  readonly sets: never
}

interface DeliveryRow {
  readonly id: string
  readonly webhook: string
  /** The `webhook-id` of the message. */
  readonly message: string
  /** The type of the event. */
  readonly event: string
  readonly href?: string
  readonly attempt: number
  readonly status: 'sending' | 'succeeded' | 'failed' | 'interrupted'
  readonly responseStatus?: number
  readonly reason?: string
  /** In milliseconds. */
  readonly duration?: number
  readonly nextAttemptAt?: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** Background actions in progress, and their ends. */
export interface JobShape {
  readonly row: Job
  readonly create: never
  readonly replace: never
  readonly patch: never
  readonly filter: Omit<Job, 'problem'>
  readonly embed: object
  readonly groups: Omit<Job, 'problem'>
  readonly aggregates: { readonly count: number }
  readonly sets: never
  readonly isJob: true
  readonly actions: {
    readonly cancel: Operation<Job>
  }
}
