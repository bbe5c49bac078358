/** The built-in tables of work that the change log makes: how far it was read, and what is still to be done. */

import type { BuiltInTable } from './built-in-table.ts'
import { choice } from './kinds/choice.ts'
import { integer } from './kinds/number.ts'
import { text } from './kinds/text.ts'
import { timestamp } from './kinds/time.ts'
import { type Resource, resource } from './resource.ts'

/** No collection can have these names, and the tables have no URI. */
export const cursorsName = 'log_cursors'
export const queueName = 'log_queue'

export const cursorsTable = {
  name: cursorsName,
  internal: true,
  unlogged: true,
} as const satisfies BuiltInTable

export const queueTable = { name: queueName, internal: true, unlogged: true } as const satisfies BuiltInTable

/** Returns the table of cursors: the last position that each consumer has read. */
export function createCursorsResource(): Resource {
  return resource({
    consumer: text({ max: 100 }).unique(),
    position: integer({ min: 0 }),
  })
}

/** Returns the table of the work to be done. work/queued-work.ts reads and writes its rows. */
export function createQueueResource(): Resource {
  return resource(
    {
      consumer: text({ max: 100 }),
      /** The receiver among those of the consumer: a webhook, a hook. */
      subscriber: text({ max: 100 }),
      /** SHA-256 of consumer, subscriber and item: work of a lane is done in order. */
      lane: text({ max: 64 }),
      /** The position of the log entry. */
      position: integer({ min: 0 }),
      /** The data of the consumer, in a form of its own. */
      payload: text({ max: 1_000_000 }),
      attempts: integer({ min: 0 }),
      /** When the next attempt may begin; while one is made, when its lease ends. */
      dueAt: timestamp(),
      status: choice(['waiting', 'parked']),
    },
    { index: [['lane', 'position'], ['status', 'consumer', 'dueAt'], ['subscriber']] },
  )
}
