/** The reader thread: runs one slow statement after another, each until its deadline. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { DeadlineExceeded, SqliteConnection } from '../connection/connection.ts'
import { toStoreUnavailable } from '../sqlite-failure.ts'
import { type ReaderData, type ReaderOutcome, type ReaderTask, sharedClock } from './reader-thread.ts'

const { file, temporary } = workerData as ReaderData
const port = parentPort as MessagePort
const connection = new SqliteConnection({ file, temporary, use: 'read' })

port.on('message', (task: ReaderTask | 'close') => {
  if (task === 'close') {
    connection.close()
    port.close()
    return
  }
  port.postMessage({ id: task.id, ...runTask(task) })
})

function runTask({ statement, deadline }: ReaderTask): ReaderOutcome {
  const left = deadline - sharedClock()
  if (left <= 0) return { kind: 'late' }
  try {
    const rows = connection.rowsBeforeDeadline(performance.now() + left, statement)
    return { kind: 'rows', rows }
  } catch (cause) {
    if (cause instanceof DeadlineExceeded) return { kind: 'late' }
    const reason = toStoreUnavailable(cause)?.reason
    return reason === undefined ? { kind: 'bug', cause } : { kind: 'unavailable', reason, cause }
  }
}
