/** The bare server on node:sqlite in several processes, as one would have it by hand. */

import cluster from 'node:cluster'

if (cluster.isPrimary) {
  const count = Number(process.argv[4])
  for (let n = 0; n < count; n += 1) cluster.fork()
  process.once('SIGTERM', () => process.exit(0))
} else {
  await import('./sqlite.ts')
}
