/** Sends the changes that the owners of webhooks may see, as work for entries of the change log. */

import type { ResourceModel } from '../../definition/model.ts'
import { ConversionFailure } from '../../definition/version-conversion.ts'
import type { Observer } from '../../observation.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import { type LoadedEntry, type LogSource, loadEntries } from '../../requests/events/loaded-entry.ts'
import { formatEntry, parseEntryText } from '../../requests/events/stored-entry.ts'
import type { VersionCodec } from '../../requests/events/version-token.ts'
import { isFollowing, type Viewer, viewerInVersion } from '../../requests/events/viewer.ts'
import { findVisibleChanges, type VisibleItemChange } from '../../requests/events/visible-change.ts'
import type { ChangeLogEntry } from '../../store/change-log.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import type { Store } from '../../store/store.ts'
import type { Tracer } from '../../tracer.ts'
import type { WorkShares } from '../../work/attempt-places.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import type { Attempt, Consumer } from '../../work/change-consumer.ts'
import { LogConsumer } from '../../work/log-consumer.ts'
import type { NewWork, QueuedWork } from '../../work/queued-work.ts'
import { webhookNetworks } from './check-webhooks.ts'
import { endInterrupted } from './delivery-record.ts'
import { formatChangeBody, formatPingBody, type MessageBody } from './message-body.ts'
import { type SecretEncryption, webhookSecrets } from './secret-encryption.ts'
import type { SendOptions } from './send-request.ts'
import {
  findWebhook,
  hasWebhooks,
  isWanted,
  listActiveWebhooks,
  type Webhook,
  webhooksOf,
} from './webhook.ts'
import { createWebhookAttempt } from './webhook-attempt.ts'
import { findWebhookViewer, type ViewerContext } from './webhook-viewer.ts'
import { deliveriesName, webhookConsumerName } from './webhooks-resource.ts'
import { formatPayload, parsePayload } from './work-payload.ts'

export interface WebhookOptions {
  /** How requests are sent; the defaults are for all but tests. `off`: they are not. */
  readonly webhooks?: Partial<Pick<SendOptions, 'timeout' | 'resolve'>> | 'off'
}

/** In milliseconds. */
const requestTimeout = 20_000

/** Starts sending in this process: items are converted to older versions by functions of the definition. */
export async function startTasks(
  service: ServiceContext,
  { webhooks: sending }: WebhookOptions,
): Promise<readonly BackgroundTask[]> {
  const { model, store, clock, observe, tracer } = service
  const [webhooks, deliveries] = [webhooksOf(model), model.ownTables.get(deliveriesName)]
  if (sending === 'off' || !webhooks || !deliveries) return []
  const { now } = clock
  const consumer = createWebhookConsumer({
    model,
    store,
    schema: schemaOf(model),
    webhooks,
    deliveries,
    tokens: accountsOf(service).tokens,
    versions: service.changes.versions,
    encryption: partOf(service, webhookSecrets),
    sending: { timeout: requestTimeout, ...sending, networks: webhookNetworks.of(model) },
    observe,
    now,
    tracer,
  })
  return [new LogConsumer({ model, store, observe, now, tracer }, consumer)]
}

export interface WebhookContext extends LogSource, ViewerContext {
  readonly deliveries: ResourceModel
  readonly versions: VersionCodec
  readonly encryption: SecretEncryption
  readonly sending: SendOptions
  readonly observe: Observer
  readonly now: () => number
  readonly tracer?: Tracer | undefined
}

export function createWebhookConsumer(context: WebhookContext): Consumer {
  const { store, webhooks } = context
  return {
    name: webhookConsumerName,
    async findStart() {
      if (!(await hasWebhooks(store, webhooks))) return undefined
      const active = await listActiveWebhooks(store, webhooks)
      if (active.length === 0) return (await store.logExtent()).last
      return Math.min(...active.map(({ since }) => since))
    },
    selectWork: (entries) => selectWork(context, entries),
    loadShares: () => loadShares(store, webhooks),
    prepareAttempt: (work) => prepareAttempt(context, work),
  }
}

/** The owner and the host of each webhook. */
async function loadShares(store: Store, webhooks: ResourceModel): Promise<WorkShares> {
  const active = await listActiveWebhooks(store, webhooks)
  return new Map(
    active.map(({ identity, owner, url }) => [identity, { owner, host: URL.parse(url)?.host ?? '' }]),
  )
}

/** One work for each webhook whose owner sees the change now. */
async function selectWork(
  context: WebhookContext,
  entries: readonly ChangeLogEntry[],
): Promise<readonly NewWork[]> {
  // Read after the entries, so that no webhook that was created before them is missing.
  const webhooks = await listActiveWebhooks(context.store, context.webhooks)
  const readers: { readonly webhook: Webhook; readonly viewer: Viewer }[] = []
  for (const webhook of webhooks) {
    const viewer = await findWebhookViewer(context, webhook)
    if (viewer) readers.push({ webhook, viewer })
  }
  const isNeeded = (table: string) => readers.some(({ viewer }) => isFollowing(viewer, table))
  const work: NewWork[] = []
  for (const logged of await loadEntries(context, entries, isNeeded)) {
    const { position, table, identity } = logged.entry
    for (const { webhook, viewer } of readers) {
      const change = position > webhook.since && (await findVisibleChange(context, viewer, logged))
      if (!change || !isWanted(webhook, `${table}.${change.kind}`)) continue
      const payload = formatPayload({ kind: 'entry', entry: formatEntry(context.schema, logged.entry) })
      work.push({ subscriber: webhook.identity, item: `${table} ${identity}`, position, payload })
    }
  }
  return work
}

/** The change of the item that the viewer sees; undefined: none. */
async function findVisibleChange(
  { store }: WebhookContext,
  viewer: Viewer,
  logged: LoadedEntry,
): Promise<VisibleItemChange | undefined> {
  const changes = await findVisibleChanges(store, logged, viewer)
  return changes.find((one) => one.kind !== 'reset')
}

async function prepareAttempt(context: WebhookContext, work: QueuedWork): Promise<Attempt> {
  const { store, deliveries, webhooks, now } = context
  const webhook = await findWebhook(store, webhooks, work.subscriber)
  const body = webhook && (await findBodyOrFailure(context, webhook, work))
  const { message = `msg_${work.identity}` } = parsePayload(work.payload)
  const at = new Date(now()).toISOString()
  const interrupted = work.attempts > 0 ? await endInterrupted(store, deliveries, message, at) : []
  if (body === 'failure') {
    // It is tried again: the code of the definition may be corrected.
    return { writes: interrupted, run: async () => ({ kind: 'failed', record: async () => [] }) }
  }
  if (!webhook || !body) {
    // The webhook is gone or not active, or its owner does not see the change any more.
    const record = async () => []
    return { writes: interrupted, run: async () => ({ kind: 'ended', record }) }
  }
  const request = findRequest(context, work)
  const attempt = createWebhookAttempt(context, { work, webhook, message, body, request })
  return { ...attempt, writes: [...interrupted, ...attempt.writes] }
}

/** The id of the request that made the change; undefined where none did. */
function findRequest({ schema }: WebhookContext, work: QueuedWork): string | undefined {
  const payload = parsePayload(work.payload)
  return payload.kind === 'ping' ? undefined : parseEntryText(schema, payload.entry).request
}

/** Code that cannot convert the item to the version of a webhook fails that delivery alone. */
async function findBodyOrFailure(
  context: WebhookContext,
  webhook: Webhook,
  work: QueuedWork,
): Promise<MessageBody | 'failure' | undefined> {
  try {
    return await findBody(context, webhook, work)
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error
    context.observe({ kind: 'logic-failed', request: undefined, hook: error.hook, cause: error })
    return 'failure'
  }
}

/** The body to send, under the present rights of the owner; undefined: nothing is sent. */
async function findBody(
  context: WebhookContext,
  webhook: Webhook,
  work: QueuedWork,
): Promise<MessageBody | undefined> {
  const { model, schema, versions, now } = context
  // Also a test or a repeated message: it may have been queued before the webhook was suspended.
  if (!webhook.isActive) return undefined
  const payload = parsePayload(work.payload)
  const present = await findWebhookViewer(context, webhook)
  if (!present) return undefined
  const version = model.versions.get(webhook.apiVersion ?? '')
  const viewer = version ? viewerInVersion(present, { version }) : present
  if (payload.kind === 'ping') return formatPingBody(new Date(now()).toISOString())
  if (work.position <= webhook.since && payload.kind !== 'redelivery') return undefined
  const entry = parseEntryText(schema, payload.entry)
  const [logged] = await loadEntries(context, [entry], () => true)
  const change = logged && (await findVisibleChange(context, viewer, logged))
  if (!change) return undefined
  const body = formatChangeBody(model, versions, change)
  return payload.kind === 'redelivery' || isWanted(webhook, body.type) ? body : undefined
}
