/** One attempt to deliver a message to a webhook: the signed request, and what its response means. */

import type { ResourceModel } from '../../definition/model.ts'
import { parseRetryAfter } from '../../http/http-date.ts'
import type { Row } from '../../store/row.ts'
import { updateFields } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import type { Write } from '../../store/write.ts'
import type { BackgroundSpan, Tracer } from '../../tracer.ts'
import type { Attempt, AttemptOutcome } from '../../work/change-consumer.ts'
import type { QueuedWork } from '../../work/queued-work.ts'
import { beginDelivery, type DeliveryResult, endDelivery } from './delivery-record.ts'
import type { MessageBody } from './message-body.ts'
import type { SecretEncryption } from './secret-encryption.ts'
import { type SendOptions, type SendResult, sendWebhookRequest } from './send-request.ts'
import { signatureFields } from './signature.ts'
import { findWebhook, type Webhook } from './webhook.ts'
import { parsePayload } from './work-payload.ts'

export interface AttemptContext {
  readonly store: Store
  readonly webhooks: ResourceModel
  readonly deliveries: ResourceModel
  readonly encryption: SecretEncryption
  readonly sending: SendOptions
  readonly now: () => number
  readonly tracer?: Tracer | undefined
}

export interface WebhookMessage {
  readonly work: QueuedWork
  readonly webhook: Webhook
  /** The `webhook-id`. */
  readonly message: string
  readonly body: MessageBody
  /** The id of the request that made the change; undefined where none did. */
  readonly request: string | undefined
}

/** The attempt, whose record is inserted before it begins. */
export function createWebhookAttempt(context: AttemptContext, sent: WebhookMessage): Attempt {
  const { deliveries, now } = context
  const { work, webhook, message, body, request } = sent
  const begun = beginDelivery(
    deliveries,
    {
      webhook: webhook.identity,
      message,
      event: body.type,
      href: body.href,
      attempt: work.attempts + 1,
      position: parsePayload(work.payload).kind === 'ping' ? undefined : work.position,
    },
    new Date(now()).toISOString(),
  )
  const span: BackgroundSpan = {
    name: `webhook ${body.type}`,
    kind: 'client',
    request,
    attributes: { 'http.request.method': 'POST', 'http.request.resend_count': work.attempts },
  }
  return {
    span,
    writes: [begun],
    async run(signal) {
      const start = performance.now()
      const result = await send(context, sent, signal)
      return toOutcome(context, sent, { result, begun: begun.values, duration: performance.now() - start })
    },
  }
}

function send(context: AttemptContext, { webhook, message, body }: WebhookMessage, signal: AbortSignal) {
  const { now, sending, tracer } = context
  const signed = { id: message, timestamp: Math.floor(now() / 1000), body: body.text }
  const fields = { ...signatureFields(signed, validSecrets(context, webhook)), ...tracer?.contextFields }
  return sendWebhookRequest({ url: webhook.url, fields, body: body.text }, sending, signal)
}

/** The secrets: two of them while a rotation lasts. */
function validSecrets({ encryption, now }: AttemptContext, webhook: Webhook): readonly string[] {
  const { identity, secret, previousSecret, previousSecretUntil } = webhook
  const isRotating = previousSecretUntil !== undefined && Date.parse(previousSecretUntil) > now()
  const encrypted = [secret, ...(isRotating && previousSecret !== undefined ? [previousSecret] : [])]
  return encrypted.map((one) => encryption.decrypt(identity, one))
}

interface EndedAttempt {
  readonly result: SendResult
  /** The row of its record. */
  readonly begun: Row
  readonly duration: number
}

/** Only 2xx is a success. 410 deactivates the webhook. Tests and redeliveries are not repeated. */
function toOutcome(context: AttemptContext, sent: WebhookMessage, ended: EndedAttempt): AttemptOutcome {
  const { deliveries, now } = context
  const { result, begun, duration } = ended
  const isSuccess = result.kind === 'response' && result.status >= 200 && result.status < 300
  const isGone = result.kind === 'response' && result.status === 410
  const isRepeated = parsePayload(sent.work.payload).kind === 'entry'
  const record = async (nextAttemptAt: string | undefined): Promise<readonly Write[]> => {
    const described: DeliveryResult = {
      status: isSuccess ? 'succeeded' : 'failed',
      duration: Math.round(duration),
      nextAttemptAt,
      ...(result.kind === 'error'
        ? { reason: result.reason }
        : { responseStatus: result.status, reason: isSuccess ? undefined : reasonOf(result.status) }),
    }
    const at = new Date(now()).toISOString()
    const ending = endDelivery(deliveries, begun, described, at)
    return [ending, ...(isGone ? await deactivate(context, sent.webhook, at) : [])]
  }
  const hasResponded = result.kind === 'response'
  if (isSuccess || isGone || !isRepeated) return { kind: 'ended', hasResponded, record }
  const askedDelay = result.kind === 'response' ? parseRetryAfter(result.retryAfter, now()) : undefined
  return { kind: 'failed', hasResponded, askedDelay, record }
}

function reasonOf(status: number): string {
  if (status === 410) return 'The receiver wants no more messages: the webhook is not active any more.'
  if (status >= 300 && status < 400) return 'Redirects are not followed. Change the URL of the webhook.'
  return 'The receiver did not respond with 2xx.'
}

async function deactivate(
  { store, webhooks }: AttemptContext,
  { identity }: Webhook,
  at: string,
): Promise<readonly Write[]> {
  const webhook = await findWebhook(store, webhooks, identity)
  return webhook?.isActive ? [updateFields(webhooks, webhook.row, at, { active: 0 })] : []
}
