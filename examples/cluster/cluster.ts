/** A cluster: PostgreSQL with a standby, three nodes with one definition, and HAProxy in front. */

import { join } from 'node:path'
import { Member } from './member.ts'
import { allowPort, freePort } from './port.ts'
import { type Database, startDatabase } from './postgres.ts'

export interface Cluster {
  readonly database: Database
  readonly nodes: readonly Member[]
  /** Undefined if no port was given. */
  readonly balancer: Member | undefined
  /** Stops the balancer first, then nodes, then databases, so that accepted requests complete. */
  stop(): Promise<void>
}

export interface ClusterOptions {
  /** An empty folder for data and logs. */
  readonly folder: string
  /** The definition to serve. */
  readonly definition: string
  /** The port of the balancer; undefined for none. */
  readonly port: number | undefined
  /** The arguments of `node` for the command; by default it runs from its sources. */
  readonly program?: readonly string[]
  /** Variables for the nodes. */
  readonly environment?: Readonly<Record<string, string>>
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, definition, port, program = sources } = options
  if (port !== undefined) await allowPort(port)
  const database = await startDatabase(folder)
  const environment = { DATABASE_URL: database.url, ...options.environment }
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const nodes = ports.map((own, at) =>
    nodeOf({ name: `node${at + 1}`, folder, definition, port: own, program, environment }),
  )
  await Promise.all(nodes.map((node) => node.start()))
  const balancer = port === undefined ? undefined : balancerOf(folder, port, nodes)
  await balancer?.start()
  return {
    database,
    nodes,
    balancer,
    async stop() {
      await balancer?.stop()
      await Promise.all(nodes.map((node) => node.stop()))
      await database.stop()
    },
  }
}

const root = join(import.meta.dirname, '..', '..')
const sources = ['--conditions=source', join(root, 'src/cli.ts')]

interface NodeOptions {
  readonly name: string
  readonly folder: string
  readonly definition: string
  readonly port: number
  readonly program: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** A node is `restwell serve`, configured by environment variables. */
function nodeOf({ name, folder, definition, port, program, environment }: NodeOptions): Member {
  return new Member({
    name,
    folder,
    port,
    command: process.execPath,
    args: [...program, 'serve', definition],
    environment: {
      HOST: '127.0.0.1',
      PORT: String(port),
      RESTWELL_TRUST_PROXY: '127.0.0.1',
      ...environment,
    },
    isReady: () => isReadyAt(port),
  })
}

function balancerOf(folder: string, port: number, nodes: readonly Member[]): Member {
  const addresses = nodes.map((node) => [node.name.toUpperCase(), `127.0.0.1:${node.port}`])
  return new Member({
    name: 'haproxy',
    folder,
    port,
    command: 'haproxy',
    args: ['-db', '-f', join(import.meta.dirname, 'haproxy.cfg')],
    environment: {
      ...Object.fromEntries(addresses),
      LISTEN: `127.0.0.1:${port}`,
      // Debian installs haproxy in a folder that is in the PATH of root only.
      PATH: `${process.env.PATH}:/usr/local/sbin:/usr/sbin`,
    },
    // Soft stop: HAProxy completes the requests in progress.
    stopSignal: 'SIGUSR1',
    isReady: () => isReadyAt(port),
  })
}

async function isReadyAt(port: number): Promise<boolean> {
  try {
    const headers = { connection: 'close' }
    return (await fetch(`http://127.0.0.1:${port}/health/ready`, { headers })).ok
  } catch (error) {
    // fetch throws TypeError while the port is closed.
    if (error instanceof TypeError) return false
    throw error
  }
}
