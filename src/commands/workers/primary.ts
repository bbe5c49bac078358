/**
 * The service in several processes on one machine. The primary has the port and hands its
 * connections to the workers in turn; on a SQLite file it also has the only writer. It answers no
 * request itself.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { type Door, openDoor } from '../../serve/door.ts'
import { formatSchema, schemaOf } from '../../store/schema.ts'
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { CommandFault } from '../command.ts'
import type { Serving, ServingParts } from '../opening.ts'
import { collectAlone } from '../process.ts'
import { Commons } from './commons.ts'
import { Crew } from './crew.ts'
import type { WorkerDuties } from './duties.ts'

/** Milliseconds, as for one process; workers keep the drain limit themselves. */
const grace = 500
const lookInterval = 20
const drainLimit = 30_000

export async function serveWithWorkers(parts: ServingParts): Promise<Serving> {
  collectAlone()
  const { store, metrics } = parts
  const { crew, commons, door } = await gathered(parts).catch(async (error) => {
    throw await refused(parts, error)
  })
  try {
    await crew.start()
  } catch (error) {
    await door.close()
    await crew.end(0)
    throw await refused(parts, error)
  }
  commons.start()
  return {
    url: door.url,
    async stop() {
      await stopCrew(crew, door)
      commons.close()
      metrics.close()
      await store.close()
    },
  }
}

async function gathered({ args, config, model, store, metrics, notice }: ServingParts) {
  const shared = store instanceof SqliteStore ? store : undefined
  const writer = await shared?.writer.share()
  const door = await openDoor(config)
  const commons = new Commons({ store, metrics, notice, workers: () => crew.workers })
  const file = shared && writer && { ...shared.place, writer: writer.path }
  const crew: Crew = new Crew({
    size: config.workers,
    beginning: { args, file, schema: formatSchema(schemaOf(model)) },
    notice,
    descriptors: writer ? [writer.moment] : [],
    serviceFor: (worker) => commons.serviceFor(worker),
    onReadiness: (ready) => door.leadTo(ready ? (socket) => crew.hand(socket) : undefined),
    onReturned: (socket) => door.admit(socket),
  })
  return { crew, commons, door }
}

async function refused({ store }: ServingParts, error: unknown): Promise<CommandFault> {
  await store.close()
  return new CommandFault(error instanceof Error ? error.message : String(error), { cause: error })
}

/**
 * As one process stops (CONTRACT 8), in step: the port closes while all of them hold their answers
 * back, so that nobody connects again; what came through before is handed on before they go out.
 */
async function stopCrew(crew: Crew, door: Door): Promise<void> {
  crew.dismiss()
  await all(crew, 'retire', 'The service is stopping.')
  await withoutConnections(crew)
  await all(crew, 'holdAnswers', undefined)
  await door.close()
  await all(crew, 'releaseAnswers', undefined)
  const late = setTimeout(() => void crew.end(0), drainLimit + 2 * grace)
  await all(crew, 'drain', undefined)
  clearTimeout(late)
  await crew.end(grace)
}

/** Until no connection is left, or the time is over. */
async function withoutConnections(crew: Crew): Promise<void> {
  const until = performance.now() + grace
  while (performance.now() < until) {
    const counts = await all(crew, 'countConnections', undefined)
    if (counts.every((count) => count === 0)) return
    await pause(lookInterval)
  }
}

/** What those say that have not ended meanwhile. */
async function all<N extends keyof WorkerDuties>(
  { workers }: Crew,
  name: N,
  value: Parameters<WorkerDuties[N]>[0],
): Promise<readonly unknown[]> {
  const calls = workers.map(({ dialogue }) => dialogue.call(name, value as never))
  const settled = await Promise.allSettled(calls)
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}
