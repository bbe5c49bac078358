/** A real PostgreSQL for the tests of one file: started when first asked for, gone at the end. */

import { after } from 'node:test'
import { type Cluster, startCluster } from './cluster.ts'

let shared: Promise<Cluster> | undefined

/** The one cluster of this process. */
export function postgres(): Promise<Cluster> {
  shared ??= startCluster()
  return shared
}

/** Said here, outside of every test, so that it comes after all of them. */
after(async () => {
  await (await shared)?.end()
})
