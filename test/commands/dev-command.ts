/** A running `restwell dev`, and the lines that it prints. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { restwellProgram } from '../restwell.ts'
import { commandEnvironment } from './command.ts'

export interface DevCommand {
  /** Resolves to the first unread line that matches. */
  waitFor(pattern: RegExp): Promise<string>
  /** Resolves to the exit code and the signal. */
  stop(): Promise<unknown[]>
}

/** The URL in a line. */
export function urlIn(line: string): string {
  return /http:[^ ]+/.exec(line)?.[0] ?? ''
}

export function startDev(t: TestContext, folder: string, flags: readonly string[] = []): DevCommand {
  const child = spawn(process.execPath, [...restwellProgram, 'dev', '--port', '0', ...flags], {
    cwd: folder,
    env: { ...commandEnvironment(), LOG_LEVEL: 'silent', RESTWELL_RATE: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const unread: string[] = []
  let arrived = Promise.withResolvers<void>()
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      unread.push(line)
      arrived.resolve()
    })
  }
  return {
    async waitFor(pattern) {
      for (;;) {
        const at = unread.findIndex((line) => pattern.test(line))
        const [line] = at < 0 ? [] : unread.splice(at, 1)
        if (line !== undefined) return line
        arrived = Promise.withResolvers()
        await arrived.promise
      }
    },
    stop() {
      child.kill('SIGTERM')
      return once(child, 'exit')
    },
  }
}
