/**
 * The writer thread: drains what has arrived into one batch, commits it, then answers. Once nothing
 * more comes it folds the log into the file, for readers seek every page in the log first.
 *
 * Other processes may have their tasks done here too, over a local socket, so that one file has one
 * writer and writes of all of them share commits.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createWriteStatements } from '../../sql/write-sql.ts'
import { SqliteConnection } from '../connection/connection.ts'
import { requireSameFile } from '../connection/file-identity.ts'
import { Seqlock } from '../connection/seqlock.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import { findUnavailable } from '../sqlite-failure.ts'
import { runBatch, type Task, type TaskOutcome } from './group-commit.ts'
import { isSpaceScarce } from './log-space.ts'
import { type FramedMessages, frameMessages } from './message-framing.ts'
import { decodeTask } from './task-encoding.ts'
import { type TaskBatch, type TaskResults, toResults } from './task-queue.ts'
import type { WriterAddress } from './writer-socket.ts'
import type { WriterData, WriterMessage, WriterReport } from './writer-thread.ts'

/** Where a batch is full, so that the first in it does not wait for a whole flood. */
const FULL_BATCH = 256
/** Milliseconds without a write, after which the log is folded. */
const QUIET = 500
/** Milliseconds between two looks at the room on the volume. */
const LOOK_INTERVAL = 50

const { file, temporary, schema, identity, damage: knownDamage, memory } = workerData as WriterData
const statements = createWriteStatements(schema, sqliteDialect)
const port = parentPort as MessagePort
const seqlock = new Seqlock(memory)

/** A part of a batch: the tasks of one message. */
interface Part {
  /** Undefined where it is of this process. */
  readonly from: FramedMessages | undefined
  readonly number: number
  readonly tasks: readonly Task[]
}

const waiting: Part[] = []
let turn: NodeJS.Immediate | undefined
/** Whether it was reported that something is answered. */
let proven = false
let connection: SqliteConnection | undefined
let server: Server | undefined
const sockets = new Set<Socket>()
const quiet = setTimeout(foldLog, QUIET)
/** When to look at the room on the volume next, and whether it was scarce. */
let nextLook = 0
let scarce = false
/** Set once the file was found damaged: from then on nothing is written. */
let damage = knownDamage === undefined ? undefined : new Error(knownDamage)

port.on('message', (message: WriterMessage) => {
  switch (message.kind) {
    case 'errands':
      return take(message.errands, undefined)
    case 'share':
      return share(message.address)
    case 'close':
      return close()
  }
})

/** What comes in one turn of the event loop goes into one batch, whoever it is from. */
function take({ number, tasks }: TaskBatch, from: FramedMessages | undefined): void {
  waiting.push({ from, number, tasks: tasks.map(decodeTask) })
  turn ??= setImmediate(work)
}

function work(): void {
  clearImmediate(turn)
  const parts = nextBatch()
  turn = waiting.length > 0 ? setImmediate(work) : undefined
  seqlock.begin()
  const outcomes = outcomesOf(parts.flatMap(({ tasks }) => tasks))
  seqlock.end()
  const failure = outcomes.find((outcome) => outcome.kind === 'unavailable')
  if (failure?.reason === 'unreachable' || failure?.reason === 'damaged') forget()
  const own: TaskResults[] = []
  let at = 0
  for (const { from, number, tasks } of parts) {
    const answers = toResults(number, outcomes.slice(at, at + tasks.length))
    at += tasks.length
    if (from === undefined) own.push(answers)
    else from.send(serialize(answers))
  }
  if (own.length > 0 || failure !== undefined || !proven) report({ kind: 'answers', own, failure })
  proven = true
  quiet.refresh()
  // Before the log takes the last of the room.
  if (scarce && failure === undefined) foldLog()
}

function nextBatch(): readonly Part[] {
  let size = 0
  const end = waiting.findIndex(({ tasks }) => {
    size += tasks.length
    return size >= FULL_BATCH
  })
  return waiting.splice(0, end === -1 ? waiting.length : end + 1)
}

function report(report: WriterReport): void {
  port.postMessage(report)
}

function outcomesOf(tasks: readonly Task[]): readonly TaskOutcome[] {
  const outcomes = damage === undefined ? attemptedOutcomes(tasks) : []
  const [first] = outcomes
  if (first?.kind === 'unavailable' && first.reason === 'damaged') damage = damagedBy(first.cause)
  if (damage === undefined) return outcomes
  const refused: TaskOutcome = { kind: 'unavailable', reason: 'damaged', cause: damage }
  return tasks.map(() => refused)
}

function damagedBy(cause: unknown): Error {
  const finding = cause instanceof Error ? cause.message : String(cause)
  const remedy = 'Nothing is written any more. Stop the service and put a backup in its place.'
  return new Error(`The database file ${file} is damaged (${finding}). ${remedy}`)
}

function attemptedOutcomes(tasks: readonly Task[]): readonly TaskOutcome[] {
  try {
    connection ??= openConnection()
    lookAtRoom(connection)
    const outcomes = outcomesWithin(connection, tasks)
    // A write to a file that was deleted meanwhile is not acknowledged.
    if (identity !== undefined) requireSameFile(file, identity)
    return outcomes
  } catch (cause) {
    return tasks.map(() => ({ kind: 'unavailable', reason: 'unreachable', cause }))
  }
}

/** The database and the room on its volume change slowly, as seen from here. */
function lookAtRoom(connection: SqliteConnection): void {
  const now = performance.now()
  if (now < nextLook) return
  nextLook = now + LOOK_INTERVAL
  connection.updateLogLimit()
  scarce = isSpaceScarce(file)
  connection.spaceIsScarce = scarce
}

/** A batch that finds no room is tried once more where the log can give some back. */
function outcomesWithin(
  connection: SqliteConnection,
  tasks: readonly Task[],
): readonly TaskOutcome[] {
  const outcomes = runBatch(connection, statements, tasks)
  const [first] = outcomes
  const full = first?.kind === 'unavailable' && first.reason === 'full'
  return full && canEmptyLog(connection) ? runBatch(connection, statements, tasks) : outcomes
}

/** The file may have to grow for what is in the log, and find no room for that either. */
function canEmptyLog(connection: SqliteConnection): boolean {
  try {
    return connection.truncateLog()
  } catch (error) {
    if (findUnavailable(error)?.reason === 'full') return false
    throw error
  }
}

/** Refuses where the file is gone, instead of making a new one. */
function openConnection(): SqliteConnection {
  if (identity !== undefined) requireSameFile(file, identity)
  return new SqliteConnection({ file, temporary, use: 'write' })
}

/** Tried again where somebody is in the way; after the next write where the disk is. */
function foldLog(): void {
  try {
    if (connection?.checkpoint() === false) quiet.refresh()
  } catch (cause) {
    const found = findUnavailable(cause)
    if (found === undefined) throw cause
    const { reason } = found
    if (reason === 'damaged') damage = damagedBy(cause)
    if (reason === 'unreachable' || reason === 'damaged') forget()
    report({
      kind: 'answers',
      own: [],
      failure: { kind: 'unavailable', reason, cause: damage ?? cause },
    })
  }
}

/** After a failed read, write or fsync the connection is not to be believed: the next is new. */
function forget(): void {
  connection?.close()
  connection = undefined
  nextLook = 0
}

/**
 * A server that cannot listen ends the thread, which says why. Of the thread before something may
 * be left; and its folder may have been tidied away.
 */
function share({ path, seqlockDescriptor: descriptor }: WriterAddress): void {
  seqlock.publish(descriptor)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(path, { force: true })
  server = createServer(serve).listen(path, () => report({ kind: 'shared' }))
}

function serve(socket: Socket): void {
  const frames = frameMessages(socket, (octets) => take(deserialize(octets) as TaskBatch, frames))
  sockets.add(socket)
  // What goes wrong with it ends it.
  socket.on('error', () => undefined)
  socket.once('close', () => sockets.delete(socket))
}

/** What has come before is answered. */
function close(): void {
  while (waiting.length > 0) work()
  clearTimeout(quiet)
  forget()
  server?.close()
  for (const socket of sockets) socket.destroySoon()
  port.close()
}
