/** The bare server on node:sqlite in several processes of node:cluster. */

import cluster from 'node:cluster'

if (cluster.isPrimary) {
  const count = Number(process.argv[4])
  for (let n = 0; n < count; n += 1) cluster.fork()
  process.once('SIGTERM', () => process.exit(0))
} else {
  await import('./sqlite.ts')
}
