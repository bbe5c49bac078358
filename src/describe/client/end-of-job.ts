/** The method of jobs that other collections do not have. Part of the client, which is one module. */

/** Reads the job until it has ended, less and less often. */
export async function endOfJob(get: (id: string) => Promise<unknown>, id: string): Promise<unknown> {
  for (let pause = 200; ; pause = Math.min(pause * 1.5, 5000)) {
    const job = (await get(id)) as { readonly endedAt?: string }
    if (job.endedAt) return job
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
