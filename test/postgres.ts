/** A PostgreSQL server for the tests of one file, started on first use and stopped at the end. */

import { after } from 'node:test'
import { type Cluster, startCluster } from './cluster.ts'

let shared: Promise<Cluster> | undefined

/** The PostgreSQL server of this process. */
export function postgres(): Promise<Cluster> {
  shared ??= startCluster()
  return shared
}

/** Registered outside of every test, so that it runs after all of them. */
after(async () => {
  await (await shared)?.end()
})
