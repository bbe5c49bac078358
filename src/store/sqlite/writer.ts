/**
 * The writer thread: drains what has arrived into one batch, commits it, then answers. Once nothing
 * more comes it folds the log into the file, for readers seek every page in the log first.
 */

import { deserialize, serialize } from 'node:v8'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { writeStatementsOf } from '../write-sql.ts'
import { type Outcome, runBatch, type Task } from './batch.ts'
import { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { findTrouble } from './failure.ts'
import { unpackTask } from './packing.ts'
import { type Answers, answersOf, type Errands } from './task-queue.ts'
import type { BatchAnswers, Message, WriterData } from './writer-thread.ts'

/** Where a batch is full, so that the first in it does not wait for a whole flood. */
const FULL_BATCH = 256
/** Milliseconds without a write, after which the log is folded. */
const QUIET = 500

const { file, temporary, schema } = workerData as WriterData
const statements = writeStatementsOf(schema, sqliteDialect)
const port = parentPort as MessagePort

let connection: Connection | undefined
const quiet = setTimeout(foldLog, QUIET)

/** A part of a batch: the tasks of one message. */
interface Part {
  /** Undefined where it is of this process. */
  readonly from: number | undefined
  readonly number: number
  readonly tasks: readonly Task[]
}

port.on('message', (first: Message) => {
  const parts: Part[] = []
  let size = 0
  let message: Message | undefined = first
  while (message !== undefined && message.kind !== 'close') {
    const part = partOf(message)
    parts.push(part)
    size += part.tasks.length
    message = size < FULL_BATCH ? received() : undefined
  }
  if (parts.length > 0) work(parts)
  if (message?.kind === 'close') close()
})

function received(): Message | undefined {
  return receiveMessageOnPort(port)?.message as Message | undefined
}

function partOf(message: Exclude<Message, { kind: 'close' }>): Part {
  const passedOn = message.kind === 'passed-on'
  const errands = passedOn ? (deserialize(message.octets) as Errands) : message.errands
  const from = passedOn ? message.from : undefined
  return { from, number: errands.number, tasks: errands.tasks.map(unpackTask) }
}

function work(parts: readonly Part[]): void {
  const outcomes = outcomesOf(parts.flatMap(({ tasks }) => tasks))
  const trouble = outcomes.find((outcome) => outcome.kind === 'trouble')
  if (trouble?.trouble === 'away') forget()
  const own: Answers[] = []
  const passedOn: [to: number, octets: Uint8Array][] = []
  let at = 0
  for (const { from, number, tasks } of parts) {
    const answers = answersOf(number, outcomes.slice(at, at + tasks.length))
    at += tasks.length
    if (from === undefined) own.push(answers)
    else passedOn.push([from, new Uint8Array(serialize(answers))])
  }
  answer({ own, passedOn, trouble })
  quiet.refresh()
}

function answer(answers: BatchAnswers): void {
  port.postMessage(answers)
}

function outcomesOf(tasks: readonly Task[]): readonly Outcome[] {
  try {
    connection ??= new Connection({ file, temporary, use: 'write' })
  } catch (cause) {
    return tasks.map(() => ({ kind: 'trouble', trouble: 'away', cause }))
  }
  return runBatch(connection, statements, tasks)
}

/** Tried again where somebody is in the way; after the next write where the disk is. */
function foldLog(): void {
  try {
    if (connection?.foldLog() === false) quiet.refresh()
  } catch (cause) {
    const found = findTrouble(cause)
    if (found === undefined) throw cause
    const { trouble } = found
    if (trouble === 'away') forget()
    answer({ own: [], passedOn: [], trouble: { kind: 'trouble', trouble, cause } })
  }
}

/** After a failed read, write or fsync the connection is not to be believed: the next is new. */
function forget(): void {
  connection?.close()
  connection = undefined
}

function close(): void {
  clearTimeout(quiet)
  forget()
  port.close()
}
