/**
 * The writer thread: commits all waiting tasks in one batch, then sends the results. When it is
 * idle it checkpoints the WAL, because readers search each page in the WAL first.
 *
 * Other processes send their tasks through a local socket, so that the file has one writer and the
 * writes of all processes share commits.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createWriteStatements } from '../../sql/write-sql.ts'
import { SqliteConnection } from '../connection/connection.ts'
import { requireSameFile } from '../connection/file-identity.ts'
import { findLastingDamage } from '../connection/integrity.ts'
import { Seqlock } from '../connection/seqlock.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import { toStoreUnavailable } from '../sqlite-failure.ts'
import { runBatch, type Task, type TaskOutcome } from './group-commit.ts'
import { type FramedMessages, frameMessages } from './message-framing.ts'
import { decodeTask } from './task-encoding.ts'
import { type TaskBatch, type TaskResults, toResults } from './task-queue.ts'
import { isSpaceScarce } from './wal-space.ts'
import type { WriterAddress } from './writer-socket.ts'
import type { WriterData, WriterMessage, WriterReport } from './writer-thread.ts'

/** The size of a full batch, which bounds the wait of its first task. */
const maxBatchSize = 256
/** Milliseconds without a write before a checkpoint. */
const idleDelay = 500
/** Milliseconds between checks of the free space. */
const spaceCheckInterval = 50

const { file, temporary, schema, fileIdentity, damage: knownDamage, memory } = workerData as WriterData
const statements = createWriteStatements(schema, sqliteDialect)
const port = parentPort as MessagePort
const seqlock = new Seqlock(memory)

/** The tasks of one message, as a part of a batch. */
interface MessageTasks {
  /** Undefined for this process. */
  readonly from: FramedMessages | undefined
  readonly number: number
  readonly tasks: readonly Task[]
}

const waiting: MessageTasks[] = []
let batchTimer: NodeJS.Immediate | undefined
/** Whether a first result was reported. */
let hasReported = false
let connection: SqliteConnection | undefined
let server: Server | undefined
const sockets = new Set<Socket>()
const checkpointTimer = setTimeout(checkpointWal, idleDelay)
/** When to check the free space next, and the last result. */
let nextCheck = 0
let isScarce = false
/** Set when the file is damaged; nothing is written from then on. */
let damage = knownDamage === undefined ? undefined : new Error(knownDamage)

port.on('message', (message: WriterMessage) => {
  switch (message.kind) {
    case 'tasks':
      return enqueue(message.batch, undefined)
    case 'share':
      return share(message.address)
    case 'close':
      return close()
  }
})

/** Messages of one turn of the event loop form one batch. */
function enqueue({ number, tasks }: TaskBatch, from: FramedMessages | undefined): void {
  waiting.push({ from, number, tasks: tasks.map(decodeTask) })
  batchTimer ??= setImmediate(runNextBatch)
}

function runNextBatch(): void {
  clearImmediate(batchTimer)
  const parts = nextBatch()
  batchTimer = waiting.length > 0 ? setImmediate(runNextBatch) : undefined
  seqlock.begin()
  const outcomes = outcomesOf(parts.flatMap(({ tasks }) => tasks))
  seqlock.end()
  const failure = outcomes.find((outcome) => outcome.kind === 'unavailable')
  if (failure?.reason === 'unreachable' || failure?.reason === 'damaged') closeConnection()
  const own: TaskResults[] = []
  let at = 0
  for (const { from, number, tasks } of parts) {
    const results = toResults(number, outcomes.slice(at, at + tasks.length))
    at += tasks.length
    if (from === undefined) own.push(results)
    else from.send(serialize(results))
  }
  if (own.length > 0 || failure !== undefined || !hasReported) report({ kind: 'results', own, failure })
  hasReported = true
  checkpointTimer.refresh()
  // Before the log uses up the free space.
  if (isScarce && failure === undefined) checkpointWal()
}

function nextBatch(): readonly MessageTasks[] {
  let size = 0
  const end = waiting.findIndex(({ tasks }) => {
    size += tasks.length
    return size >= maxBatchSize
  })
  return waiting.splice(0, end === -1 ? waiting.length : end + 1)
}

function report(report: WriterReport): void {
  port.postMessage(report)
}

function outcomesOf(tasks: readonly Task[]): readonly TaskOutcome[] {
  for (const task of tasks) if (task.kind === 'damage') noteDamage(task)
  const outcomes = attemptUndamaged(tasks, 'read') ?? attemptUndamaged(tasks, 'check')
  return outcomes ?? tasks.map(() => ({ kind: 'unavailable', reason: 'damaged', cause: damage }))
}

/** Undefined where the file is damaged, or where a read has failed and another attempt may succeed. */
function attemptUndamaged(
  tasks: readonly Task[],
  foundBy: DamageFinding['foundBy'],
): readonly TaskOutcome[] | undefined {
  if (damage !== undefined) return undefined
  const outcomes = attemptedOutcomes(tasks)
  const [first] = outcomes
  if (first?.kind !== 'unavailable' || first.reason !== 'damaged') return outcomes
  closeConnection()
  noteDamage({ finding: messageOf(first.cause), foundBy })
  return undefined
}

type DamageFinding = Pick<Extract<Task, { kind: 'damage' }>, 'finding' | 'foundBy'>

/** A finding of a single read is checked before it stops all writes: a disk may fail to read once. */
function noteDamage({ finding, foundBy }: DamageFinding): void {
  if (damage !== undefined) return
  try {
    const found = foundBy === 'check' ? finding : findLastingDamage(file)
    if (found !== undefined) damage = damagedBy(found)
    else
      reportUnreachable(
        new Error(`A read of ${file} failed (${finding}), but the file is sound. Check the disk.`),
      )
  } catch (cause) {
    // The next read that fails is checked again.
    reportUnreachable(cause)
  }
}

function reportUnreachable(cause: unknown): void {
  report({ kind: 'results', own: [], failure: { kind: 'unavailable', reason: 'unreachable', cause } })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function damagedBy(finding: string): Error {
  const remedy = 'Nothing is written any more. Stop the service and put a backup in its place.'
  return new Error(`The database file ${file} is damaged (${finding}). ${remedy}`)
}

function attemptedOutcomes(tasks: readonly Task[]): readonly TaskOutcome[] {
  try {
    connection ??= openConnection()
    checkSpace(connection)
    const outcomes = outcomesWithin(connection, tasks)
    // Do not acknowledge a write to a deleted file.
    if (fileIdentity !== undefined) requireSameFile(file, fileIdentity)
    return outcomes
  } catch (cause) {
    return tasks.map(() => ({ kind: 'unavailable', reason: 'unreachable', cause }))
  }
}

/** Checked at intervals, because size and free space change slowly. */
function checkSpace(connection: SqliteConnection): void {
  const now = performance.now()
  if (now < nextCheck) return
  nextCheck = now + spaceCheckInterval
  connection.updateWalLimit()
  isScarce = isSpaceScarce(file)
  connection.isSpaceScarce = isScarce
}

/** A batch that finds the disk full runs again where truncating the log frees space. */
function outcomesWithin(connection: SqliteConnection, tasks: readonly Task[]): readonly TaskOutcome[] {
  const outcomes = runBatch(connection, statements, tasks)
  const [first] = outcomes
  const full = first?.kind === 'unavailable' && first.reason === 'full'
  return full && tryTruncateWal(connection) ? runBatch(connection, statements, tasks) : outcomes
}

/** Truncating may fail too, because the file has to grow for the content of the log. */
function tryTruncateWal(connection: SqliteConnection): boolean {
  try {
    return connection.truncateWal()
  } catch (error) {
    if (toStoreUnavailable(error)?.reason === 'full') return false
    throw error
  }
}

/** Throws where the file is gone, instead of creating a new one. */
function openConnection(): SqliteConnection {
  if (fileIdentity !== undefined) requireSameFile(file, fileIdentity)
  return new SqliteConnection({ file, temporary, use: 'write' })
}

/** Repeated where a reader prevents it; after the next write where the disk does. */
function checkpointWal(): void {
  try {
    if (connection?.checkpoint() === false) checkpointTimer.refresh()
  } catch (cause) {
    const found = toStoreUnavailable(cause)
    if (found === undefined) throw cause
    const { reason } = found
    if (reason === 'unreachable' || reason === 'damaged') closeConnection()
    if (reason === 'damaged') noteDamage({ finding: messageOf(cause), foundBy: 'read' })
    if (reason === 'damaged' && damage === undefined) return
    report({
      kind: 'results',
      own: [],
      failure: { kind: 'unavailable', reason, cause: damage ?? cause },
    })
  }
}

/** After a failed read, write or fsync, the next batch opens a new connection. */
function closeConnection(): void {
  connection?.close()
  connection = undefined
  nextCheck = 0
}

/** Removes the socket of a former thread first. A server that cannot listen ends the thread. */
function share({ path, seqlockDescriptor: descriptor }: WriterAddress): void {
  seqlock.publish(descriptor)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(path, { force: true })
  server = createServer(serve).listen(path, () => report({ kind: 'shared' }))
}

function serve(socket: Socket): void {
  const frames = frameMessages(socket, (octets) => enqueue(deserialize(octets) as TaskBatch, frames))
  sockets.add(socket)
  // An error closes the socket.
  socket.on('error', () => undefined)
  socket.once('close', () => sockets.delete(socket))
}

/** Finishes waiting tasks, then closes. */
function close(): void {
  while (waiting.length > 0) runNextBatch()
  clearTimeout(checkpointTimer)
  closeConnection()
  server?.close()
  for (const socket of sockets) socket.destroySoon()
  port.close()
}
