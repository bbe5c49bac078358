/** The requests of this process that append to uploads: a new request for an upload ends the one before. */

export interface RunningUploads {
  /** Ends the request that appends to the upload, and waits until what it received is stored. */
  interrupt(id: string): Promise<void>
  /** Runs the work with a signal that the request is to end. */
  run<Result>(id: string, work: (interruption: AbortSignal) => Promise<Result>): Promise<Result>
}

interface RunningUpload {
  readonly end: () => void
  readonly ended: Promise<void>
}

export function createRunningUploads(): RunningUploads {
  const running = new Map<string, RunningUpload>()
  const interrupt = async (id: string) => {
    for (let found = running.get(id); found; found = running.get(id)) {
      found.end()
      await found.ended
    }
  }
  return {
    interrupt,
    async run(id, work) {
      await interrupt(id)
      const interruption = new AbortController()
      const end = Promise.withResolvers<void>()
      running.set(id, { end: () => interruption.abort(), ended: end.promise })
      try {
        return await work(interruption.signal)
      } finally {
        running.delete(id)
        end.resolve()
      }
    },
  }
}
