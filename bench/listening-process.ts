/** Starts `restwell serve` in a process of its own, for benches that compare settings. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ListeningProcess {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

/** Resolves when the service listens. */
export async function startService(
  definition: string,
  environment: Readonly<Record<string, string>>,
): Promise<ListeningProcess> {
  const root = join(import.meta.dirname, '..')
  const args = ['--conditions=source', join(root, 'src/cli.ts'), 'serve', definition, '--port', '0']
  const child = spawn(process.execPath, args, {
    env: { ...process.env, RESTWELL_RATE: 'off', LOG_LEVEL: 'fatal', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  // After a failure too.
  process.once('exit', () => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^Listening on http:\/\/.*:(\d+)$/.exec(line)?.[1]
    if (port === undefined || child.pid === undefined) continue
    child.stdout.resume()
    return {
      pid: child.pid,
      port: Number(port),
      async stop() {
        child.kill('SIGTERM')
        await exited
      },
    }
  }
  throw new Error('The service ended before it listened')
}
