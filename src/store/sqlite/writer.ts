/** The writer thread: drains what has arrived into one batch, commits it, then answers. */

import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { writeStatementsOf } from '../write-sql.ts'
import { type Outcome, runBatch, type Task } from './batch.ts'
import { Connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import type { Answer, Message, WriterData } from './writer-thread.ts'

/** What one batch takes at most, so that the first in it does not wait for a whole flood. */
const BATCH_LIMIT = 256

const { file, temporary, schema } = workerData as WriterData
const statements = writeStatementsOf(schema, sqliteDialect)
const port = parentPort as MessagePort

let connection: Connection | undefined

port.on('message', (first: Message) => {
  const tasks: { readonly id: number; readonly task: Task }[] = []
  let message: Message | undefined = first
  while (message !== undefined && message.kind === 'task') {
    tasks.push(message)
    message = tasks.length < BATCH_LIMIT ? received() : undefined
  }
  if (tasks.length > 0) work(tasks)
  if (message?.kind === 'close') close()
})

function received(): Message | undefined {
  return receiveMessageOnPort(port)?.message as Message | undefined
}

function work(tasks: readonly { readonly id: number; readonly task: Task }[]): void {
  const outcomes = outcomesOf(tasks.map(({ task }) => task))
  if (outcomes.some((outcome) => outcome.kind === 'trouble' && outcome.trouble === 'away')) forget()
  const answers: Answer[] = tasks.map(({ id }, at) => ({ id, outcome: outcomes[at]! }))
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

/** After a failed read, write or fsync the connection is not to be believed: the next is new. */
function forget(): void {
  connection?.close()
  connection = undefined
}

function close(): void {
  forget()
  port.close()
}
