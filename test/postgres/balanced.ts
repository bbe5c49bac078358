/** The cluster of examples/cluster for a test, behind HAProxy where the machine has it. */

import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, startCluster } from '../../examples/cluster/cluster.ts'
import { freePort } from '../../examples/cluster/port.ts'
import { restwellProgram } from '../restwell.ts'

export interface Balanced extends AsyncDisposable {
  readonly cluster: Cluster
  /** The ports that clients use: the balancer's, or those of all nodes. */
  readonly ports: readonly number[]
}

/** The reason why there is no balancer; undefined if there is one. */
export function whyNoBalancer(): string | undefined {
  const PATH = `${process.env.PATH}:/usr/local/sbin:/usr/sbin`
  const { error } = spawnSync('haproxy', ['-v'], { env: { PATH } })
  return error && 'HAProxy is not installed: apt-get install haproxy'
}

// Without a listener a signal ends the process before it could end what it has started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

export interface BalancedOptions {
  /** From the root of the repository. */
  readonly definition?: string
  readonly environment?: Readonly<Record<string, string>>
}

export async function balanced(options: BalancedOptions = {}): Promise<Balanced> {
  const { definition = 'test/reliability/fixtures/notes.ts', environment = {} } = options
  const folder = await mkdtemp(join(tmpdir(), 'restwell-balanced-'))
  // The servers run as another user where the tests run as root.
  await chmod(folder, 0o755)
  const port = whyNoBalancer() === undefined ? await freePort() : undefined
  const cluster = await startCluster({
    folder,
    definition: join(import.meta.dirname, '../..', definition),
    port,
    program: restwellProgram,
    environment: { RESTWELL_RATE: 'off', ...environment },
  })
  return {
    cluster,
    ports: port === undefined ? cluster.nodes.map((node) => node.port) : [port],
    async [Symbol.asyncDispose]() {
      await cluster.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
