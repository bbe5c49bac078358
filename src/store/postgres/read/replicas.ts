/** The standbys for reads where the definition allows stale data. */

import type { Observer } from '../../../observation.ts'
import type { Schema } from '../../schema/table-schema.ts'
import type { Store } from '../../store.ts'
import { type PostgresDatabaseUrl, parsePostgresUrl } from '../connection/database-url.ts'
import { requireDedicatedSession } from '../connection/dedicated-session.ts'
import { Pool } from '../connection/pool.ts'
import { connect } from '../connection/session.ts'
import { toStoreUnavailable } from '../postgres-failure.ts'
import { PostgresStore, type ReplicaChoice } from '../postgres-store.ts'
import { Replica, takeWalSample, type WalSample } from './replica.ts'
import { createReplicaStore, replicaTimeout } from './replica-store.ts'

/** Milliseconds between two samples. */
const sampleInterval = 250
/** A standby that is behind the oldest sample is not used. */
const maxSamples = 1000

export interface ReplicasOptions {
  readonly urls: readonly string[]
  readonly schema: Schema
  readonly primary: { readonly pool: Pool; readonly location: PostgresDatabaseUrl }
  readonly observe: Observer
}

export class Replicas implements ReplicaChoice {
  readonly #primary: Pool
  readonly #replicas: readonly Replica[]
  readonly #observe: Observer
  readonly #timer: NodeJS.Timeout
  readonly #samples: WalSample[] = []
  /** Replicas whose failure was observed: each failure is observed once. */
  readonly #unavailable = new Set<Replica | undefined>()
  #sampling = false
  #next = 0

  constructor({ urls, schema, primary, observe }: ReplicasOptions) {
    this.#primary = primary.pool
    this.#observe = observe
    this.#replicas = urls.map((url) => createReplica(url, schema, primary.location))
    this.#timer = setInterval(() => void this.#update(), sampleInterval).unref()
    void this.#update()
  }

  /** Returns a store that reads from a standby at most this many seconds behind; undefined if there is none. */
  storeFor(seconds: number, primary: Store): Store | undefined {
    const now = performance.now()
    const fit = this.#replicas.filter((replica) => replica.age(now) <= seconds * 1000)
    const chosen = fit[this.#next++ % fit.length]
    return chosen && createReplicaStore(primary, chosen, (cause) => this.#markUnavailable(chosen, cause))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#replicas.map(({ store }) => store.close()))
  }

  async #update(): Promise<void> {
    await this.#sample()
    for (const replica of this.#replicas) void this.#refresh(replica)
  }

  /** Without the primary there are no new samples, so the staleness of each standby increases. */
  async #sample(): Promise<void> {
    if (this.#sampling) return
    this.#sampling = true
    try {
      this.#samples.push(await takeWalSample(this.#primary))
      if (this.#samples.length > maxSamples) this.#samples.shift()
    } catch (cause) {
      // The pool observes an unavailable primary itself.
      if (toStoreUnavailable(cause) === undefined) this.#markUnavailable(undefined, cause)
    } finally {
      this.#sampling = false
    }
  }

  async #refresh(replica: Replica): Promise<void> {
    try {
      if (await replica.refresh(this.#samples)) this.#unavailable.delete(replica)
    } catch (cause) {
      this.#markUnavailable(replica, cause)
    }
  }

  /** Undefined: the primary does not return its position. */
  #markUnavailable(replica: Replica | undefined, cause: unknown): void {
    replica?.markStale()
    if (!this.#unavailable.has(replica)) {
      this.#observe({ kind: 'replica-unavailable', replica: replica?.displayUrl ?? 'primary', cause })
    }
    this.#unavailable.add(replica)
  }
}

/** A standby has the same schema as the primary. */
function createReplica(url: string, schema: Schema, primary: PostgresDatabaseUrl): Replica {
  const { schema: tables } = primary
  const location = { ...parsePostgresUrl(url), schema: tables, statementLimit: replicaTimeout }
  const pool = new Pool({
    size: location.pool,
    connect: () => connect(location, 'read'),
    // `Replicas` observes failures: the service works without its replicas.
    observe: () => undefined,
  })
  const store = new PostgresStore(pool, schema, () => undefined)
  return new Replica({ pool, store, url, verify: () => requireDedicatedSession(location, 'read') })
}
