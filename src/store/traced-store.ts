/** A store whose calls are spans of a trace. */

import type { Tracer } from '../tracer.ts'
import type { GroupQuery } from './group-query.ts'
import type { RowLookup, RowQuery } from './row-query.ts'
import type { Store } from './store.ts'
import { withCalls } from './with-calls.ts'
import type { Write } from './write.ts'

export type DatabaseSystem = 'sqlite' | 'postgresql'

/** Each call is a span with the name of the call and of the table; values are not recorded. */
export function withTracedCalls(store: Store, tracer: Tracer, system: DatabaseSystem): Store {
  /** `tableOf` gets the first argument of the call. */
  const trace = <Name extends TracedCall>(name: Name, tableOf: (first: FirstArgument<Name>) => string) => {
    const call = store[name].bind(store) as (...args: unknown[]) => unknown
    const traced = (...args: unknown[]) => {
      const table = tableOf(args[0] as FirstArgument<Name>)
      const attributes = {
        'db.system.name': system,
        'db.operation.name': name,
        'db.collection.name': table === '' ? undefined : table,
      }
      const span = { name: `${name} ${table}`.trim(), kind: 'client' as const, attributes }
      return tracer.traceCall(span, () => call(...args))
    }
    // The same parameters and result as the call.
    return traced as Store[Name]
  }
  const replica = store.replica?.bind(store)
  const lockRow = store.lockRow?.bind(store)
  return withCalls(store, {
    find: trace('find', ofQuery),
    list: trace('list', ofQuery),
    count: trace('count', ofName),
    aggregate: trace('aggregate', ofQuery),
    satisfies: trace('satisfies', ofName),
    previewRow: trace('previewRow', ofName),
    write: trace('write', ofWrites),
    findTombstone: trace('findTombstone', ofName),
    findIdentityByFormerId: trace('findIdentityByFormerId', ofName),
    findStoredResponse: trace('findStoredResponse', () => ''),
    readChanges: trace('readChanges', () => ''),
    rowHistory: trace('rowHistory', ofQuery),
    withSnapshot: (milliseconds, work) =>
      store.withSnapshot(milliseconds, (snapshot) => work(withTracedCalls(snapshot, tracer, system))),
    ...(lockRow && {
      lockRow: (row, work) => lockRow(row, (locked) => work(withTracedCalls(locked, tracer, system))),
    }),
    ...(replica && {
      replica: (seconds: number) => {
        const found = replica(seconds)
        return found && withTracedCalls(found, tracer, system)
      },
    }),
  })
}

type TracedCall =
  | 'find'
  | 'list'
  | 'count'
  | 'aggregate'
  | 'satisfies'
  | 'previewRow'
  | 'write'
  | 'findTombstone'
  | 'findIdentityByFormerId'
  | 'findStoredResponse'
  | 'readChanges'
  | 'rowHistory'

type FirstArgument<Name extends TracedCall> = Parameters<Store[Name]>[0]

const ofQuery = ({ table }: Pick<RowLookup | RowQuery | GroupQuery, 'table'>) => table
const ofName = (table: string) => table

function ofWrites(writes: readonly Write[]): string {
  const tables = writes.flatMap((write) => ('table' in write ? [write.table] : []))
  return [...new Set(tables)].join(',')
}
