/** Starts the schedules of a definition on a node. */

import { hash } from 'node:crypto'
import { queueName } from '../../../definition/delivery-resources.ts'
import { findNextTime } from '../../../definition/logic/cron.ts'
import { placesOfCode } from '../../../definition/logic/declared-hooks.ts'
import type { ScheduleModel } from '../../../definition/logic/logic-model.ts'
import type { Model } from '../../../definition/model.ts'
import { deleteRow } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import { idleInterval, PollLoop } from '../../../work/poll-loop.ts'
import {
  changeWrite,
  enqueueWrite,
  findWork,
  listWaiting,
  type QueueContext,
} from '../../../work/queued-work.ts'
import { WorkRunner } from '../../../work/work-runner.ts'
import { scheduleConsumerName } from '../consumer-names.ts'
import type { SystemContext } from '../system-access.ts'
import { createScheduleConsumer } from './schedule-consumer.ts'

export interface ScheduleRunner {
  /** Runs the schedules when their time comes, until the end. */
  start(): void
  /**
   * Runs the schedules that are due until a time, in order, for tests: `advance` is called with each time before its
   * runs, and with the last one at the end. Rejects with the failure of a run whose code failed.
   */
  runUntil(until: number, advance: (now: number) => void): Promise<void>
  /** Ends the runs in progress; they are repeated later. */
  close(): Promise<void>
}

/** In milliseconds. */
const runTime = 3_600_000
const registerInterval = 60_000
/** More than a lease, by which a run in progress is due later. */
const maxDelay = 60_000

/** Registers the schedules. A time that comes while no node runs is made up for once. */
export async function createScheduleRunner(service: SystemContext): Promise<ScheduleRunner> {
  const { model, store, observe, clock } = service
  const queue = model.ownTables.get(queueName)
  if (!queue) throw new Error('The definition has no tables for queued work')
  const context: QueueContext = { queue, consumer: scheduleConsumerName }
  const registration: Registration = { service, context, schedules: schedulesOf(model) }
  await forgetOthers(registration)
  await registerAll(registration)
  let registered = performance.now()
  /** Called with the failures of runs while `runUntil` waits for them. */
  let noteFailure: ((cause: unknown) => void) | undefined
  const report = (cause: unknown) => {
    noteFailure?.(cause)
    if (!loop.isClosed) observe({ kind: 'task-failed', task: scheduleConsumerName, cause })
  }
  const runner = new WorkRunner({
    store,
    context,
    consumer: createScheduleConsumer({
      service,
      schedules: registration.schedules,
      timeout: runTime,
      onFailure: (cause) => noteFailure?.(cause),
    }),
    only: [...registration.schedules.keys()],
    now: () => clock.now(),
    report,
    onEnd: () => loop.wake(),
  })
  const step = async () => {
    if (performance.now() - registered > registerInterval) {
      // A node that started with another definition may have removed them.
      await registerAll(registration)
      registered = performance.now()
    }
    return (await runner.beginDue()) ? 0 : idleInterval
  }
  const loop: PollLoop = new PollLoop({ step, report })
  return {
    start: () => loop.start(),
    async runUntil(until, advance) {
      const failures: unknown[] = []
      noteFailure = (cause) => failures.push(cause)
      for (;;) {
        const dueAt = await findNextDue(store, context)
        if (dueAt > until) break
        advance(dueAt)
        await runner.beginDue()
        await runner.ended()
        if (failures.length > 0) throw failures[0]
      }
      advance(until)
    },
    async close() {
      await loop.close()
      await runner.close()
    },
  }
}

function schedulesOf(model: Model): ReadonlyMap<string, ScheduleModel> {
  return new Map(
    placesOfCode(model).flatMap(({ name: table, logic }) =>
      Object.entries(logic?.schedules ?? {}).map(
        ([name, schedule]) => [`${table}.schedules.${name}`, schedule] as const,
      ),
    ),
  )
}

interface Registration {
  readonly service: SystemContext
  readonly context: QueueContext
  readonly schedules: ReadonlyMap<string, ScheduleModel>
}

/** Inserts the schedules that the queue does not have, and changes those with another expression. */
async function registerAll({ service, context, schedules }: Registration): Promise<void> {
  const { store, clock } = service
  for (const [place, { text, cron }] of schedules) {
    const identity = identityOf(place)
    const known = await findWork(store, context, identity)
    const next = findNextTime(cron, clock.now()) ?? clock.now()
    // A clock that was ahead has made it due later than the expression says.
    const isDueInTime = known !== undefined && Date.parse(known.dueAt) <= next + maxDelay
    if (isDueInTime && known.payload === text) continue
    const now = new Date(clock.now()).toISOString()
    const dueAt = new Date(next).toISOString()
    const work = { subscriber: place, item: place, position: 0, payload: text, identity, dueAt }
    // Refused where another node was faster.
    await store.write([
      known
        ? changeWrite(context, known, now, { payload: text, dueAt, attempts: 0 })
        : enqueueWrite(context, work, now),
    ])
  }
}

/** No definition has as many schedules. */
const maxSchedules = 1000

async function forgetOthers({ service, context, schedules }: Registration): Promise<void> {
  const { store, clock } = service
  const works = await listWaiting(store, context, maxSchedules)
  const now = new Date(clock.now()).toISOString()
  for (const work of works.filter(({ subscriber }) => !schedules.has(subscriber))) {
    await store.write([deleteRow(context.queue, work.row, now)])
  }
}

/** When the first schedule is due, in milliseconds; infinite where there is none. */
async function findNextDue(store: Store, context: QueueContext): Promise<number> {
  const works = await listWaiting(store, context, maxSchedules)
  return Math.min(...works.map(({ dueAt }) => Date.parse(dueAt)))
}

/** The identity of the row of a schedule, in the form of a UUID: all nodes use the same row. */
function identityOf(place: string): string {
  const digits = hash('sha256', place, 'hex').slice(0, 32)
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
