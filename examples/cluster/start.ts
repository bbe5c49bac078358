/**
 * Starts a cluster on one machine to experiment with: `npx node --conditions=source
 * examples/cluster/start.ts`. Ctrl-C stops all programs and deletes their data.
 */

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from './cluster.ts'

/** Resolves with the first signal; a second signal exits at once. */
const stopped = new Promise<void>((resolve) => {
  let isStopping = false
  const stop = () => {
    if (isStopping) process.exit(1)
    isStopping = true
    resolve()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
})
const folder = mkdtempSync(join(tmpdir(), 'restwell-cluster-'))
// The user of PostgreSQL needs access to the folder.
chmodSync(folder, 0o755)
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const port = Number(process.env.PORT ?? 3000)
const admin = process.env.RESTWELL_ADMIN ?? `admin@localhost:${randomBytes(12).toString('base64url')}`
const definition = process.argv[2] ?? join(import.meta.dirname, '..', 'shop.ts')
const cluster = await startCluster({
  folder,
  definition,
  port,
  environment: { RESTWELL_ADMIN: admin },
}).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})

const { database, nodes } = cluster
process.stdout.write(`Listening on http://localhost:${port}

  admin     ${admin}
  nodes     ${nodes.map((node) => `http://127.0.0.1:${node.port}`).join('  ')}
  database  primary on port ${database.primary.port}, synchronous standby on port ${database.standby.port}
  logs      ${folder}/*.log

Press Ctrl-C to stop all programs.
`)
await stopped
process.stdout.write('\nStopping.\n')
await cluster.stop()
process.exit(0)
