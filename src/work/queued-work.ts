/** Work that entries of the change log make, as rows of a table: one for each subscriber and entry. */

import { hash } from 'node:crypto'
import { queueName } from '../definition/delivery-resources.ts'
import { CREATED_AT, IDENTITY, type Model, type ResourceModel } from '../definition/model.ts'
import { all, always, type Condition, compares, equals, isOneOf, not } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { readField, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { findRow, insertFields, listRows } from '../store/table-rows.ts'
import type { InsertWrite, UpdateWrite } from '../store/write.ts'

/** Work to be queued. */
export interface NewWork {
  readonly subscriber: string
  /** Work with the same text is done in order of position, by one node at a time. */
  readonly item: string
  readonly position: number
  /** The data of the consumer. */
  readonly payload: string
  /** Of work that all nodes queue; random by default. */
  readonly identity?: string
  /** When it is due; at once by default. */
  readonly dueAt?: string
}

export interface QueuedWork extends Omit<NewWork, 'item' | 'identity' | 'dueAt'> {
  readonly identity: string
  readonly lane: string
  /** How many attempts were begun. */
  readonly attempts: number
  readonly createdAt: string
  readonly dueAt: string
  readonly status: 'waiting' | 'parked'
  /** The row that it was read from. */
  readonly row: Row
}

export interface QueueContext {
  readonly queue: ResourceModel
  readonly consumer: string
}

/** Inserts the work. */
export function enqueueWrite({ queue, consumer }: QueueContext, work: NewWork, now: string): InsertWrite {
  const { subscriber, item, position, payload, identity, dueAt = now } = work
  const values = {
    consumer,
    subscriber,
    lane: laneOf(consumer, { subscriber, item }),
    position,
    payload,
    attempts: 0,
    dueAt,
    status: 'waiting',
  }
  return insertFields(queue, now, values, identity)
}

/** Names the works that are done in order. */
function laneOf(consumer: string, { subscriber, item }: Pick<NewWork, 'subscriber' | 'item'>): string {
  return hash('sha256', JSON.stringify([consumer, subscriber, item]), 'hex')
}

/** Changes the row of the work as it was read. */
export function changeWrite(
  { queue }: QueueContext,
  work: QueuedWork,
  now: string,
  changed: Partial<Pick<QueuedWork, 'attempts' | 'dueAt' | 'payload' | 'status'>>,
): UpdateWrite {
  return updateFields(queue, work.row, now, changed)
}

/** The work of the consumer with this identity; undefined where it is done. */
export async function findWork(
  store: Store,
  { queue, consumer }: QueueContext,
  identity: string,
): Promise<QueuedWork | undefined> {
  const row = await findRow(store, queue, identity)
  return row && readField(queue, row, 'consumer') === consumer ? workOf(queue, row) : undefined
}

export interface DueQuery {
  readonly now: string
  /** Subscribers whose work is left out. */
  readonly except: readonly string[]
  /** Subscribers whose work is listed; undefined: all others. */
  readonly only: readonly string[] | undefined
  readonly limit: number
}

/** The work whose time has come, longest due first. */
export function listDue(
  store: Store,
  context: QueueContext,
  { now, except, only, limit }: DueQuery,
): Promise<readonly QueuedWork[]> {
  return listWork(store, context, {
    condition: all([
      compares(['dueAt'], 'lte', now),
      only ? isSubscriber(only) : always,
      except.length === 0 ? always : not(isSubscriber(except)),
    ]),
    order: ['dueAt', '_identity'],
    limit,
  })
}

function isSubscriber(values: readonly string[]): Condition {
  return isOneOf(['subscriber'], values)
}

/** The work that is not done yet, oldest first. */
export function listWaiting(
  store: Store,
  context: QueueContext,
  limit: number,
): Promise<readonly QueuedWork[]> {
  return listWork(store, context, { condition: always, order: ['createdAt', '_identity'], limit })
}

/** The first work of a lane that is not done; with a position, the first behind it. */
export async function findHead(
  store: Store,
  context: QueueContext,
  lane: string,
  behind = -1,
): Promise<QueuedWork | undefined> {
  const [head] = await listWork(store, context, {
    condition: all([equals(['lane'], lane), compares(['position'], 'gt', behind)]),
    order: ['position', '_identity'],
    limit: 1,
  })
  return head
}

/** The parked works, oldest first. */
export async function listParked(
  store: Store,
  context: QueueContext,
  limit: number,
): Promise<readonly QueuedWork[]> {
  const { queue } = context
  const rows = await listRows(store, queue, { condition: withStatus(context, 'parked'), limit })
  return rows.map((row) => workOf(queue, row))
}

/** The number of parked works. */
export async function countParked(store: Store, context: QueueContext): Promise<number> {
  return store.count(context.queue.name, withStatus(context, 'parked'))
}

/** The number of works that are not done yet. */
export async function countWaiting(store: Store, context: QueueContext): Promise<number> {
  return store.count(context.queue.name, withStatus(context, 'waiting'))
}

/** The condition that holds for the works of a consumer with the status. */
export function withStatus(
  { consumer }: { readonly consumer: string },
  status: QueuedWork['status'],
): Condition {
  return all([equals(['status'], status), equals(['consumer'], consumer)])
}

interface WorkQuery {
  readonly condition: Condition
  readonly order: readonly [string, string]
  readonly limit: number
}

async function listWork(
  store: Store,
  context: QueueContext,
  { condition, order, limit }: WorkQuery,
): Promise<readonly QueuedWork[]> {
  const { queue } = context
  const rows = await store.list({
    table: queue.name,
    condition: all([withStatus(context, 'waiting'), condition]),
    order: order.map((column) => ({ column, descending: false })),
    after: undefined,
    limit,
    evaluated: [],
  })
  return rows.map((row) => workOf(queue, row))
}

/** The work of a row. */
export function workOf(queue: ResourceModel, row: Row): QueuedWork {
  const text = (name: string) => String(readField(queue, row, name))
  return {
    identity: String(row[IDENTITY]),
    subscriber: text('subscriber'),
    lane: text('lane'),
    position: Number(readField(queue, row, 'position')),
    payload: text('payload'),
    attempts: Number(readField(queue, row, 'attempts')),
    createdAt: String(row[CREATED_AT]),
    dueAt: text('dueAt'),
    // Written by this file only.
    status: text('status') as QueuedWork['status'],
    row,
  }
}

/** How much work is queued, for operators. */
export interface QueueFigures {
  /** Works that are not done yet. */
  readonly waiting: number
  /** Works whose last attempt has failed. */
  readonly parked: number
  /** Since when the oldest work is waiting; undefined where none is. */
  readonly oldest: string | undefined
}

/** The figures of a consumer; undefined for a service that queues no work. */
export async function loadQueueFigures(
  store: Store,
  { ownTables }: Model,
  consumer: string,
): Promise<QueueFigures | undefined> {
  const queue = ownTables.get(queueName)
  if (!queue) return undefined
  const context = { queue, consumer }
  const [oldest] = await listRows(store, queue, { condition: withStatus(context, 'waiting'), limit: 1 })
  return {
    waiting: oldest ? await countWaiting(store, context) : 0,
    parked: await countParked(store, context),
    oldest: oldest && String(oldest[CREATED_AT]),
  }
}
