/** `restwell retry`: queues the parked runs of `after` hooks again, directly in the database. */

import { queueName } from '../../definition/delivery-resources.ts'
import type { Model } from '../../definition/model.ts'
import {
  type DatabaseContext,
  printLine,
  runDatabaseAction,
} from '../../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../../operation/command-frame/command.ts'
import { parseEntryText } from '../../requests/events/stored-entry.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import {
  changeWrite,
  findWork,
  listParked,
  type QueueContext,
  type QueuedWork,
} from '../../work/queued-work.ts'
import { afterConsumerName } from './consumer-names.ts'

export const retry: Command = {
  usage: '[ID] [--list] [--service service.ts] [--database URL]',
  summary: 'Runs parked after hooks again when the service starts: one of them, or all. --list shows them.',
  run: (args, load) => runDatabaseAction('retry', { args, load }, { switches: ['list'] }, retryParked),
}

async function retryParked(context: DatabaseContext, [id, ...more]: readonly string[]): Promise<void> {
  const { model, config } = context
  const queue = model.ownTables.get(queueName)
  if (!queue) throw new CommandFault(`${config.file} declares no after hooks.`)
  if (more.length > 0) throw new CommandFault(`Expected one ID, got ${more.length + 1}.`)
  const queued: QueueContext = { queue, consumer: afterConsumerName }
  if (config.switches.has('list')) return printParked(context, queued)
  if (id !== undefined) return retryOne(context, queued, id)
  let count = 0
  for (;;) {
    const works = await listParked(context.store, queued, maxPart)
    for (const work of works) await queueAgain(context, queued, work)
    count += works.length
    if (works.length < maxPart) break
  }
  printLine(
    count === 0 ? 'Nothing is parked.' : `${count} parked ${count === 1 ? 'run is' : 'runs are'} queued.`,
  )
}

/** Parked works that are read at a time. */
const maxPart = 100

async function printParked({ model, store }: DatabaseContext, queued: QueueContext): Promise<void> {
  const works = await listParked(store, queued, maxPart)
  for (const work of works) printLine(describeWork(model, work))
  if (works.length === 0) printLine('Nothing is parked.')
  if (works.length === maxPart) printLine(`These are the first ${maxPart}.`)
}

function describeWork(model: Model, { identity, payload, createdAt, attempts }: QueuedWork): string {
  const { table, kind, id } = parseEntryText(schemaOf(model), payload)
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
  return `${identity}  ${table}.after.${kind}  ${table}/${id}  ${createdAt}  ${tries}`
}

async function retryOne(context: DatabaseContext, queued: QueueContext, id: string): Promise<void> {
  const work = await findWork(context.store, queued, id)
  if (work?.status !== 'parked') {
    throw new CommandFault(`No parked run '${id}'. List them with: restwell retry --list`)
  }
  await queueAgain(context, queued, work)
  printLine('1 parked run is queued.')
}

/** The run has all its attempts again. It may run after later changes of its item. */
async function queueAgain({ store }: DatabaseContext, queued: QueueContext, work: QueuedWork): Promise<void> {
  const now = new Date().toISOString()
  await store.write([changeWrite(queued, work, now, { status: 'waiting', attempts: 0, dueAt: now })])
}
