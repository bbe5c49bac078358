/** The built-in resource `webhooks`, and the table of its deliveries below each webhook. */

import { fieldsFor, hidden } from '../../definition/built-in-fields.ts'
import type { BuiltInTable } from '../../definition/built-in-table.ts'
import type { DeclaredTable } from '../../definition/declared-table.ts'
import { boolean } from '../../definition/kinds/boolean.ts'
import { choice } from '../../definition/kinds/choice.ts'
import { list } from '../../definition/kinds/list.ts'
import { integer } from '../../definition/kinds/number.ts'
import { ref } from '../../definition/kinds/ref.ts'
import { text } from '../../definition/kinds/text.ts'
import { timestamp } from '../../definition/kinds/time.ts'
import { url } from '../../definition/kinds/url.ts'
import { resource } from '../../definition/resource.ts'
import type { Rule } from '../../definition/rule.ts'
import { and, owner } from '../../definition/rule-functions.ts'
import { isLoopback, type Networks, parseIpAddress } from '../../http/ip-network.ts'
import { isGloballyReachable } from '../../http/reachable-address.ts'
import type { WebhooksSettings } from './check-webhooks.ts'
import { sentChange } from './sent-requests.ts'

export const webhooksName = 'webhooks'
/** No collection can have this name: its items are below those of /webhooks. */
export const deliveriesName = 'webhook_deliveries'

/** In the tables of cursors and of queued work. */
export const webhookConsumerName = 'webhooks'

export const webhooksTable = {
  name: webhooksName,
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  secrets: ['secret', 'previousSecret'],
  shownOnce: 'secret',
  outlives: true,
  menu: 'create',
  basis: ['token'],
  movable: 'webhooks',
  actions: {
    ping: {
      title: 'Send a test',
      summary: 'Send a test',
      isOpen: (read) => read('active') === 1,
    },
    rotate: {
      title: 'Make a new secret',
      summary: 'Replace the secret; the previous one signs for another day',
      shows: ['secret'],
    },
  },
  held: { account: 'owner', suspension: 'deactivation' },
  mostPerAccount: { owner: 'owner', count: 100, items: 'webhooks' },
  parkedWork: { consumer: webhookConsumerName, seconds: 'log' },
  sends: sentChange,
} as const satisfies BuiltInTable

export const deliveriesTable = {
  name: deliveriesName,
  methods: ['GET'],
  internal: true,
  unlogged: true,
  below: 'webhook',
  outlives: true,
  basis: ['webhook', 'token'],
  unconstrained: true,
  actions: {
    redeliver: {
      title: 'Send again',
      summary: 'Send the message again; 409 when its change is not kept any more',
    },
  },
  keptFor: { field: 'createdAt', seconds: 'log' },
} as const satisfies BuiltInTable

/** The kinds of changes in the names of events. */
const eventKinds = ['created', 'updated', 'deleted', '*'] as const

export interface WebhooksDeclaration {
  /** The name of the resource of the accounts. */
  readonly accounts: string
  readonly collections: readonly string[]
  readonly settings: WebhooksSettings
  /** The name of the collection. */
  readonly path: string
  /** Whether the definition has older versions of the interface. */
  readonly hasVersions: boolean
}

/** The declarations, for the types of clients. */
export type WebhooksResource = ReturnType<typeof createWebhooksResource>
export type DeliveriesResource = ReturnType<typeof createDeliveriesResource>

/** Returns the declarations of webhooks and of their deliveries. */
export function declareWebhooks(declaration: WebhooksDeclaration): readonly DeclaredTable[] {
  const { path, settings } = declaration
  const { by, isOwnRule, networks, isDeclared } = settings
  const webhooks: DeclaredTable = {
    table: webhooksTable,
    resource: createWebhooksResource(declaration),
    checksRules: isOwnRule,
    isDescribed: isDeclared,
    findFaults({ url }, faults) {
      if (typeof url !== 'string' || faults.some(({ pointer }) => pointer === '/url')) return []
      const detail = findUrlFault(url, networks)
      return detail === undefined ? [] : [{ pointer: '/url', rule: 'url', detail }]
    },
  }
  const deliveries = createDeliveriesResource(path, by)
  return [webhooks, { table: deliveriesTable, resource: deliveries, isDescribed: isDeclared }]
}

/**
 * An account sees only its own webhooks, because their deliveries show changes under its rights.
 * features/webhooks/create-webhook.ts sets the read-only fields.
 */
function createWebhooksResource({
  accounts,
  collections,
  settings: { by },
  hasVersions,
}: WebhooksDeclaration) {
  const own = and(by, owner('owner'))
  return resource(
    {
      url: url(),
      events: list(choice(listEventPatterns(collections)), { min: 1, max: 100 }),
      active: boolean().default(true),
      owner: ref(accounts, { onDelete: 'cascade' }).fromPrincipal(),
      /** The secrets that sign requests, encrypted; the second one is valid for a while after a rotation. */
      secret: hidden(text({ max: 200 }).optional()),
      previousSecret: hidden(text({ max: 200 }).optional()),
      previousSecretUntil: timestamp().optional().readOnly(),
      /** The position of the log after which changes are sent. */
      since: hidden(integer({ min: 0 }).optional()),
      /** The token that it was made with; none: the account itself. */
      token: hidden(text({ max: 100 }).optional()),
      // The version of the interface that it was created with.
      ...fieldsFor(hasVersions || undefined, () => ({
        apiVersion: text({ max: 63 }).optional().readOnly(),
      })),
    },
    {
      access: { read: own, create: by, update: own, delete: own },
      methods: webhooksTable.methods,
      index: ['active'],
    },
  )
}

/** Returns every pattern that a webhook can name: `tasks.created`, `tasks.*`. */
function listEventPatterns(collections: readonly string[]): readonly string[] {
  return collections.flatMap((name) => eventKinds.map((kind) => `${name}.${kind}`))
}

/**
 * The attempts to deliver. Their webhook decides who may read them. The reference is not a constraint of
 * the database: a webhook may have any number of deliveries, and those of a deleted one are pruned later.
 */
function createDeliveriesResource(webhooks: string, by: Rule) {
  return resource(
    {
      webhook: ref(webhooks, { inverse: 'deliveries' }),
      /** The `webhook-id` of the request: the same in all attempts to send one message. */
      message: text({ max: 100 }),
      /** The type of the event. */
      event: text({ max: 200 }),
      href: text({ max: 2000 }).optional(),
      attempt: integer({ min: 1 }),
      status: choice(['sending', 'succeeded', 'failed', 'interrupted']),
      responseStatus: integer({ min: 100, max: 999 }).optional(),
      reason: text({ max: 500 }).optional(),
      /** In milliseconds. */
      duration: integer({ min: 0 }).optional(),
      /** Absent where no attempt follows. */
      nextAttemptAt: timestamp().optional(),
      position: hidden(integer({ min: 0 }).optional()),
    },
    {
      access: { read: by, update: by },
      methods: deliveriesTable.methods,
      index: [['webhook', 'createdAt'], 'message', 'createdAt'],
    },
  )
}

/**
 * Why webhooks cannot be sent to the URL; undefined where they can, as far as the URL tells. `networks` are
 * reachable although they are not global.
 */
export function findUrlFault(value: string, networks: Networks): string | undefined {
  const parsed = URL.parse(value)
  if (!parsed) return 'Must be an absolute URL.'
  if (parsed.username !== '' || parsed.password !== '') return 'Must not contain a user name or password.'
  const host = parsed.hostname.replace(/^\[|\]$/g, '')
  const address = localName.test(host) ? '127.0.0.1' : parseIpAddress(host)
  const isAllowed = address !== undefined && networks.has(address)
  const isLocal = address !== undefined && isLoopback(address)
  if (parsed.protocol !== 'https:' && !(isLocal && isAllowed)) return 'Must begin with https://.'
  if (address === undefined || isAllowed || isGloballyReachable(address)) return undefined
  return 'Must have a public address.'
}

/** RFC 6761 §6.3. */
const localName = /(?:^|\.)localhost\.?$/
