/** The standbys that a service may read from where its definition allows an answer to be old. */

import type { Observer } from '../../../observation.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { Store } from '../../store.ts'
import { requireDedicatedSession } from '../connection/dedicated-session.ts'
import { type PostgresLocation, parsePostgresUrl } from '../connection/location.ts'
import { Pool } from '../connection/pool.ts'
import { connect } from '../connection/session.ts'
import { findUnavailable } from '../postgres-failure.ts'
import { PostgresStore, type ReplicaChoice } from '../postgres-store.ts'
import { type PositionSample, Replica, takeSample } from './replica.ts'
import { createReplicaStore, replicaTimeout } from './replica-store.ts'

/** Milliseconds between two looks at how far everyone is. */
const sampleInterval = 250
/** How many samples are kept: who is further behind than all of them is not asked. */
const maxSamples = 1000

export interface ReplicasOptions {
  readonly urls: readonly string[]
  readonly schema: Schema
  readonly primary: { readonly pool: Pool; readonly location: PostgresLocation }
  readonly observe: Observer
}

export class Replicas implements ReplicaChoice {
  readonly #primary: Pool
  readonly #replicas: readonly Replica[]
  readonly #observe: Observer
  readonly #timer: NodeJS.Timeout
  readonly #samples: PositionSample[] = []
  /** Those that were told of, so that each is told of once until it is well again. */
  readonly #troubled = new Set<Replica | undefined>()
  #sampling = false
  #next = 0

  constructor({ urls, schema, primary, observe }: ReplicasOptions) {
    this.#primary = primary.pool
    this.#observe = observe
    this.#replicas = urls.map((url) => replicaAt(url, schema, primary.location))
    this.#timer = setInterval(() => void this.#look(), sampleInterval).unref()
    void this.#look()
  }

  /** A store that reads from one of them what may be so old; undefined where none is known to do. */
  storeFor(seconds: number, primary: Store): Store | undefined {
    const now = performance.now()
    const fit = this.#replicas.filter((replica) => replica.age(now) <= seconds * 1000)
    const chosen = fit[this.#next++ % fit.length]
    return chosen && createReplicaStore(primary, chosen, (cause) => this.#tell(chosen, cause))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#replicas.map(({ store }) => store.close()))
  }

  async #look(): Promise<void> {
    await this.#sample()
    for (const replica of this.#replicas) void this.#lookAt(replica)
  }

  /** While the primary is away nothing new is known, and what is known grows old by itself. */
  async #sample(): Promise<void> {
    if (this.#sampling) return
    this.#sampling = true
    try {
      this.#samples.push(await takeSample(this.#primary))
      if (this.#samples.length > maxSamples) this.#samples.shift()
    } catch (cause) {
      // Of trouble the pool itself has told.
      if (findUnavailable(cause) === undefined) this.#tell(undefined, cause)
    } finally {
      this.#sampling = false
    }
  }

  async #lookAt(replica: Replica): Promise<void> {
    try {
      if (await replica.refresh(this.#samples)) this.#troubled.delete(replica)
    } catch (cause) {
      this.#tell(replica, cause)
    }
  }

  /** Undefined: the primary does not say how far it is. */
  #tell(replica: Replica | undefined, cause: unknown): void {
    replica?.markStale()
    if (!this.#troubled.has(replica)) {
      this.#observe({ kind: 'replica-unavailable', replica: replica?.shown ?? 'primary', cause })
    }
    this.#troubled.add(replica)
  }
}

/** A standby has its tables where the primary has them. */
function replicaAt(url: string, schema: Schema, primary: PostgresLocation): Replica {
  const { schema: tables } = primary
  const location = { ...parsePostgresUrl(url), schema: tables, statementLimit: replicaTimeout }
  const pool = new Pool({
    size: location.pool,
    connect: () => connect(location, 'read'),
    // Told of by whoever looks after the replica: the service is in no trouble without it.
    observe: () => undefined,
  })
  const store = new PostgresStore(pool, schema, () => undefined)
  return new Replica({ pool, store, url, verify: () => requireDedicatedSession(location, 'read') })
}
