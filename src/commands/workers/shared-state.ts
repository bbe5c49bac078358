/** The state that workers share through the primary: sign-in attempts, rate usage, metrics. */

import type { Model } from '../../definition/model.ts'
import { createSignInAttempts, type EndAttempt } from '../../limits/sign-in-attempts.ts'
import type { Observer } from '../../observation.ts'
import { type Figures, finalFigures, type Metrics, sumFigures } from '../../operation/metrics.ts'
import { repeatTask } from '../../operation/repeated-task.ts'
import { createExpiryClock } from '../../service/expiry-clock.ts'
import { startSingleTasks } from '../../service/single-tasks.ts'
import type { FilesPlace } from '../../store/files/open-file-store.ts'
import type { Store } from '../../store/store.ts'
import { clockOf } from '../../store/store-clock.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import type { Worker, WorkerServices } from './worker-pool.ts'

export interface SharedStateOptions {
  readonly model: Model
  readonly store: Store
  readonly metrics: Metrics
  readonly observe: Observer
  /** Where files are. */
  readonly files: FilesPlace
  /** The workers that are ready. */
  workers(): readonly Worker[]
}

/** In milliseconds. The figures of a killed worker since then are lost. */
const figuresInterval = 10_000

export class SharedState {
  readonly #options: SharedStateOptions
  readonly #attempts = createSignInAttempts(Date.now)
  /** The latest figures of each running worker. */
  readonly #latest = new Map<Worker, Figures>()
  /** The sum of the last known figures of ended workers. */
  #endedWorkers: Figures = sumFigures([])
  #tasks: readonly (BackgroundTask | Promise<BackgroundTask>)[] = []

  constructor(options: SharedStateOptions) {
    this.#options = options
  }

  start(): void {
    const run = async () => void (await this.#figures())
    const { store, model, observe, files } = this.#options
    const expiryClock = createExpiryClock({ store, clock: clockOf(store), observe })
    this.#tasks = [
      repeatTask({ name: 'figures', interval: figuresInterval, run }, observe),
      expiryClock.then((clock) =>
        startSingleTasks({ model, store, clock, observe, files, hasWorkers: true }),
      ),
    ]
  }

  async close(): Promise<void> {
    for (const task of this.#tasks) await (await task).close()
  }

  createWorkerServices(worker: () => Worker): WorkerServices {
    const attempts = new Map<number, EndAttempt>()
    let gone = false
    let next = 0
    return {
      methods: {
        allFigures: () => this.#figures(),
        enterAttempt: async ({ login, address }) => {
          const leave = await this.#attempts.begin(login, address)
          if (gone) leave(false)
          else attempts.set(next, leave)
          return next++
        },
        leaveAttempt: ({ attempt, failed }) => {
          attempts.get(attempt)?.(failed)
          attempts.delete(attempt)
        },
        reportUsage: (usage) => {
          const others = this.#options.workers().filter((other) => other !== worker())
          for (const { rpc } of others) rpc.notify('applyUsage', usage)
        },
      },
      ended: () => {
        gone = true
        for (const leave of attempts.values()) leave(false)
        this.#absorbFinalMetrics(worker())
      },
    }
  }

  #absorbFinalMetrics(worker: Worker): void {
    const latest = this.#latest.get(worker)
    this.#latest.delete(worker)
    if (latest) this.#endedWorkers = sumFigures([this.#endedWorkers, finalFigures(latest)])
  }

  /** The sum over the primary, the running workers and the ended workers. */
  async #figures(): Promise<Figures> {
    await this.#forEachWorker(async (worker) => {
      const figures = await worker.rpc.call('figures', undefined)
      if (this.#options.workers().includes(worker)) this.#latest.set(worker, figures)
    })
    const own = this.#options.metrics.read({ inFlight: 0 })
    return sumFigures([own, this.#endedWorkers, ...this.#latest.values()])
  }

  /** Ignores workers that end during the call. */
  async #forEachWorker(visit: (worker: Worker) => Promise<void>): Promise<void> {
    await Promise.allSettled(this.#options.workers().map(visit))
  }
}
