/** The reader thread: runs one slow statement after another, each until its deadline. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Connection, DeadlinePassed } from './connection.ts'
import { findTrouble } from './failure.ts'
import {
  clockOfAllThreads,
  type ReaderData,
  type ReaderOutcome,
  type ReaderTask,
} from './reader-thread.ts'

const { file, temporary } = workerData as ReaderData
const port = parentPort as MessagePort
const connection = new Connection({ file, temporary, use: 'read' })

port.on('message', (task: ReaderTask | 'close') => {
  if (task === 'close') {
    connection.close()
    port.close()
    return
  }
  port.postMessage({ id: task.id, ...outcomeOf(task) })
})

function outcomeOf({ statement, deadline }: ReaderTask): ReaderOutcome {
  const left = deadline - clockOfAllThreads()
  if (left <= 0) return { kind: 'late' }
  try {
    return { kind: 'rows', rows: connection.rowsBefore(performance.now() + left, statement) }
  } catch (cause) {
    if (cause instanceof DeadlinePassed) return { kind: 'late' }
    const trouble = findTrouble(cause)?.trouble
    return trouble === undefined ? { kind: 'bug', cause } : { kind: 'trouble', trouble, cause }
  }
}
