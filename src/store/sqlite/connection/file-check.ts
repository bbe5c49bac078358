/**
 * Checks a file for damage that is too large for a check at the start. The check runs in a child
 * process, because a process can be killed and a statement of SQLite cannot be interrupted.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Observer } from '../../../observation.ts'
import { programFile } from '../../../package-paths.ts'

export type CheckResult =
  | { readonly kind: 'checked'; readonly damage: string | undefined }
  | { readonly kind: 'failed'; readonly message: string }

export interface FileCheckOptions {
  readonly file: string
  readonly onDamage: (finding: string) => void
  readonly observe: Observer
}

/** Milliseconds. The delay keeps the start fast, and a short command does not start the check. */
const startDelay = 1000

export class FileCheck {
  readonly #options: FileCheckOptions
  readonly #timer: NodeJS.Timeout
  #process: ChildProcess | undefined

  constructor(options: FileCheckOptions) {
    this.#options = options
    this.#timer = setTimeout(() => this.#start(), startDelay).unref()
  }

  /** Kills the process; resolves when it no longer has the file open. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    const child = this.#process
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.ref()
    child.kill('SIGKILL')
    await exited
  }

  #start(): void {
    const child = fork(programFile('store/sqlite/connection/file-check-main'), [this.#options.file])
    this.#process = child
    child.unref()
    child.channel?.unref()
    child.once('message', (result: CheckResult) => this.#report(result))
    child.once('error', (error) => this.#report({ kind: 'failed', message: error.message }))
    child.once('exit', () => {
      this.#process = undefined
    })
  }

  #report(result: CheckResult): void {
    const { onDamage, observe } = this.#options
    if (result.kind === 'failed') {
      const cause = new Error(`The file could not be checked for damage: ${result.message}`)
      observe({ kind: 'store-unavailable', reason: 'unreachable', cause })
    } else if (result.damage !== undefined) onDamage(result.damage)
  }
}
