/**
 * The store as one replica shows it: what it cannot say at once, or does not have, the primary is
 * asked for. Whatever is not a plain reading is the primary's.
 */

import { type Awaitable, type Store, StoreTrouble } from '../store.ts'
import type { Replica } from './replica.ts'

/** Milliseconds after which a replica is given up: the primary may take longer. */
export const PATIENCE = 1000

/** `fail` is told what kept the replica from answering. */
export function laggingStore(
  primary: Store,
  { store }: Replica,
  fail: (cause: unknown) => void,
): Store {
  const read = <Result>(near: () => Awaitable<Result>, sure: () => Awaitable<Result>) =>
    readFrom(fail, near, sure)
  return {
    // What is not there yet may have been made since: nobody is told that it is absent by a replica.
    find: async (question) => {
      const row = await read(
        () => store.find(question),
        () => undefined,
      )
      return row ?? primary.find(question)
    },
    list: (question) =>
      read(
        () => store.list(question),
        () => primary.list(question),
      ),
    count: (table, condition) =>
      read(
        () => store.count(table, condition),
        () => primary.count(table, condition),
      ),
    wouldHold: (...args) => primary.wouldHold(...args),
    wouldShow: (...args) => primary.wouldShow(...args),
    write: (writes) => primary.write(writes),
    revision: (table) => primary.revision(table),
    mark: (table) => primary.mark(table),
    firstVersion: (table) => primary.firstVersion(table),
    tombstone: (...args) => primary.tombstone(...args),
    movedFrom: (...args) => primary.movedFrom(...args),
    answer: (...args) => primary.answer(...args),
    changes: (...args) => primary.changes(...args),
    secret: (name) => primary.secret(name),
    alone: (work) => primary.alone(work),
    size: () => primary.size(),
    check: () => primary.check(),
    close: () => primary.close(),
  }
}

/** Whatever goes wrong with a replica: the primary knows the answer, or what is really wrong. */
async function readFrom<Result>(
  fail: (cause: unknown) => void,
  near: () => Awaitable<Result>,
  sure: () => Awaitable<Result>,
): Promise<Result> {
  const silence = Promise.withResolvers<never>()
  const timer = setTimeout(() => silence.reject(silent()), PATIENCE)
  try {
    return await Promise.race([near(), silence.promise])
  } catch (error) {
    if (!(error instanceof StoreTrouble && error.trouble === 'slow')) fail(error)
    return await sure()
  } finally {
    clearTimeout(timer)
  }
}

function silent(): StoreTrouble {
  return new StoreTrouble('away', 'The replica did not answer.')
}
