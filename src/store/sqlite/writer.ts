/** The writer thread: drains what has arrived into one batch, commits it, then answers. */

import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { writeStatementsOf } from '../write-sql.ts'
import { type Outcome, runBatch, type Task } from './batch.ts'
import { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { unpackTask } from './packing.ts'
import { answersOf } from './task-queue.ts'
import type { Message, WriterData } from './writer-thread.ts'

/** Where a batch is full, so that the first in it does not wait for a whole flood. */
const FULL_BATCH = 256

const { file, temporary, schema } = workerData as WriterData
const statements = writeStatementsOf(schema, sqliteDialect)
const port = parentPort as MessagePort

let connection: Connection | undefined

port.on('message', (first: Message) => {
  const tasks: Task[] = []
  let message: Message | undefined = first
  while (message !== undefined && message.kind === 'tasks') {
    for (const packed of message.tasks) tasks.push(unpackTask(packed))
    message = tasks.length < FULL_BATCH ? received() : undefined
  }
  if (tasks.length > 0) work(tasks)
  if (message?.kind === 'close') close()
})

function received(): Message | undefined {
  return receiveMessageOnPort(port)?.message as Message | undefined
}

function work(tasks: readonly Task[]): void {
  const outcomes = outcomesOf(tasks)
  if (outcomes.some((outcome) => outcome.kind === 'trouble' && outcome.trouble === 'away')) forget()
  port.postMessage(answersOf(outcomes))
}

function outcomesOf(tasks: readonly Task[]): readonly Outcome[] {
  try {
    connection ??= new Connection({ file, temporary, use: 'write' })
  } catch (cause) {
    return tasks.map(() => ({ kind: 'trouble', trouble: 'away', cause }))
  }
  return runBatch(connection, statements, tasks)
}

/** After a failed read, write or fsync the connection is not to be believed: the next is new. */
function forget(): void {
  connection?.close()
  connection = undefined
}

function close(): void {
  forget()
  port.close()
}
