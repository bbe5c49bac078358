/** The whole: a database with its standby, three nodes of one definition, and HAProxy in front. */

import { join } from 'node:path'
import { Member } from './member.ts'
import { allowPort, freePort } from './port.ts'
import { type Database, startDatabase } from './postgres.ts'

export interface Cluster {
  readonly database: Database
  readonly nodes: readonly Member[]
  /** Undefined where no port was named for it. */
  readonly balancer: Member | undefined
  /** From the outside in: what was accepted is answered. */
  stop(): Promise<void>
}

export interface ClusterOptions {
  /** An empty one, for data and logs. */
  readonly folder: string
  /** The definition to serve. */
  readonly definition: string
  /** Where the balancer listens; without one clients go to the nodes. */
  readonly port: number | undefined
  /** Variables for the nodes. */
  readonly environment?: Readonly<Record<string, string>>
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, definition, port } = options
  if (port !== undefined) await allowPort(port)
  const database = await startDatabase(folder)
  const environment = { DATABASE_URL: database.url, ...options.environment }
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const nodes = ports.map((own, at) =>
    nodeOf({ name: `node${at + 1}`, folder, definition, port: own, environment }),
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

interface NodeOptions {
  readonly name: string
  readonly folder: string
  readonly definition: string
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
}

/** A node is the command as it is, told by its environment where the database is. */
function nodeOf({ name, folder, definition, port, environment }: NodeOptions): Member {
  return new Member({
    name,
    folder,
    port,
    command: process.execPath,
    args: ['--conditions=source', join(root, 'src/cli.ts'), 'serve', definition],
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
      // Debian keeps it where only root looks.
      PATH: `${process.env.PATH}:/usr/local/sbin:/usr/sbin`,
    },
    // It lets what is under way come to its end.
    goodbye: 'SIGUSR1',
    isReady: () => isReadyAt(port),
  })
}

async function isReadyAt(port: number): Promise<boolean> {
  try {
    const headers = { connection: 'close' }
    return (await fetch(`http://127.0.0.1:${port}/health/ready`, { headers })).ok
  } catch (error) {
    // Nobody listens yet; fetch has no other way to say so.
    if (error instanceof TypeError) return false
    throw error
  }
}
