/** What the processes of one service have in common, kept by the primary. */

import { createSignInAttempts, type EndAttempt } from '../../access/sign-in-attempts.ts'
import { createHistory, type History } from '../../observability/history.ts'
import {
  type Figures,
  finalFigures,
  formatFigures,
  type Metrics,
  sumFigures,
} from '../../observability/metrics.ts'
import { repeatTask } from '../../observability/repeated-task.ts'
import { sizeOf, statusFigures } from '../../observability/status-figures.ts'
import type { Observer } from '../../observation.ts'
import type { Store } from '../../store/store.ts'
import type { Worker, WorkerServices } from './worker-pool.ts'

export interface SharedStateOptions {
  readonly store: Store
  readonly metrics: Metrics
  readonly observe: Observer
  /** Those that serve now. */
  workers(): readonly Worker[]
}

export class SharedState {
  readonly #options: SharedStateOptions
  readonly #attempts = createSignInAttempts(Date.now)
  readonly #history: History = createHistory()
  /** Of those that serve: what they last said. */
  readonly #latest = new Map<Worker, Figures>()
  /** Of those that are gone: what they had counted, as far as it is known. */
  #endedWorkers: Figures = sumFigures([])
  #stop = () => {}

  constructor(options: SharedStateOptions) {
    this.#options = options
  }

  start(): void {
    const interval = this.#history.sampleInterval * 1000
    const run = () => this.#sample()
    this.#stop = repeatTask({ name: 'history', interval, run }, this.#options.observe)
  }

  close(): void {
    this.#stop()
    this.#history.close()
  }

  createWorkerServices(worker: () => Worker): WorkerServices {
    const attempts = new Map<number, EndAttempt>()
    let gone = false
    let next = 0
    return {
      methods: {
        status: () => this.#status(),
        formatMetrics: async () => formatFigures(await this.#figures()),
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
          for (const { rpc: dialogue } of others) dialogue.notify('applyUsage', usage)
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

  async #status() {
    const { memory } = await this.#figures()
    return statusFigures(this.#history, this.#options.store, memory)
  }

  /** The primary's own, those of all that serve, and what is left of those that are gone. */
  async #figures(): Promise<Figures> {
    await this.#forEachWorker(async (worker) => {
      const figures = await worker.rpc.call('figures', undefined)
      if (this.#options.workers().includes(worker)) this.#latest.set(worker, figures)
    })
    const own = this.#options.metrics.read({ inFlight: 0 })
    return sumFigures([own, this.#endedWorkers, ...this.#latest.values()])
  }

  async #sample(): Promise<void> {
    const slices = [this.#history.take()]
    await this.#forEachWorker(async ({ rpc: dialogue }) => {
      slices.push(await dialogue.call('takeSlice', undefined))
    })
    this.#history.add(slices, await sizeOf(this.#options.store))
    await this.#figures()
  }

  /** One that ends meanwhile has nothing to say. */
  async #forEachWorker(rowQuery: (worker: Worker) => Promise<void>): Promise<void> {
    await Promise.allSettled(this.#options.workers().map(rowQuery))
  }
}
