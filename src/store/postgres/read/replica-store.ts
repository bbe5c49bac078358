/**
 * A store that reads from a replica, and from the primary where the replica fails, is slow or lacks
 * the row. Everything except `find`, `list`, `count` and `aggregate` uses the
 * primary.
 */

import { Refusal } from '../../../refusal.ts'
import { type MaybePromise, type Store, StoreUnavailable } from '../../store.ts'
import type { Replica } from './replica.ts'

/** Milliseconds before the primary is used instead. */
export const replicaTimeout = 1000

/** Creates the store; `fail` receives the errors of the replica. */
export function createReplicaStore(
  primary: Store,
  { store }: Replica,
  fail: (cause: unknown) => void,
): Store {
  const read = <Result>(replica: () => MaybePromise<Result>, primary: () => MaybePromise<Result>) =>
    readFrom(fail, replica, primary)
  return {
    // A row that the replica lacks may be new, so only the primary can report it missing.
    find: async (query) => {
      const row = await read(
        () => store.find(query),
        () => undefined,
      )
      return row ?? primary.find(query)
    },
    list: (query) =>
      read(
        () => store.list(query),
        () => primary.list(query),
      ),
    count: (...args) =>
      read(
        () => store.count(...args),
        () => primary.count(...args),
      ),
    aggregate: (query) =>
      read(
        () => store.aggregate(query),
        () => primary.aggregate(query),
      ),
    satisfies: (...args) => primary.satisfies(...args),
    previewRow: (...args) => primary.previewRow(...args),
    write: (...args) => primary.write(...args),
    revision: (table, changes) => primary.revision(table, changes),
    tableState: (table) => primary.tableState(table),
    tableStatesOf: (read) => primary.tableStatesOf(read),
    firstVersion: (table) => primary.firstVersion(table),
    findTombstone: (...args) => primary.findTombstone(...args),
    findIdentityByFormerId: (...args) => primary.findIdentityByFormerId(...args),
    findStoredResponse: (...args) => primary.findStoredResponse(...args),
    readChanges: (...args) => primary.readChanges(...args),
    // The primary is ahead of the rows that the replica returns.
    lastPosition: () => undefined,
    logExtent: () => primary.logExtent(),
    pruneLog: (...args) => primary.pruneLog(...args),
    rowHistory: (query) => primary.rowHistory(query),
    keptVersions: (query) => primary.keptVersions(query),
    pruneHistory: (...args) => primary.pruneHistory(...args),
    audit: primary.audit,
    loadSecret: (name) => primary.loadSecret(name),
    withNamedLock: (name, milliseconds, work) => primary.withNamedLock(name, milliseconds, work),
    withExclusiveLock: (work) => primary.withExclusiveLock(work),
    withSnapshot: (milliseconds, work) => primary.withSnapshot(milliseconds, work),
    databaseSize: () => primary.databaseSize(),
    check: () => primary.check(),
    close: () => primary.close(),
  }
}

/** Reads from the replica; on any error from the primary. */
async function readFrom<Result>(
  fail: (cause: unknown) => void,
  fromReplica: () => MaybePromise<Result>,
  fromPrimary: () => MaybePromise<Result>,
): Promise<Result> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(timeoutError()), replicaTimeout)
  try {
    return await Promise.race([fromReplica(), timeout.promise])
  } catch (error) {
    // The requester has used its time, which is no fault of the replica.
    if (error instanceof Refusal) throw error
    if (!(error instanceof StoreUnavailable && error.reason === 'slow')) fail(error)
    return await fromPrimary()
  } finally {
    clearTimeout(timer)
  }
}

function timeoutError(): StoreUnavailable {
  return new StoreUnavailable('unreachable', 'The replica did not respond.')
}
