/** A disk that fails: strace makes system calls of a running process fail. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

export interface DiskError {
  /** Resolves when the error has happened, and the process runs as before. */
  happen(): Promise<void>
}

/** The next read of one of the files fails with EIO, once. Undefined, with the test skipped aloud, where strace cannot do it. */
export async function nextReadFails(
  t: TestContext,
  pid: number,
  files: readonly string[],
): Promise<DiskError | undefined> {
  const paths = files.flatMap((file) => ['-P', file])
  const fault = ['-e', 'trace=pread64', '-e', 'inject=pread64:error=EIO:when=1']
  const child = spawn('strace', ['-f', ...paths, ...fault, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const failed = once(child, 'error').then(() => 'absent' as const)
  let output = ''
  const waiting = new Set<() => void>()
  child.stderr.on('data', (part) => {
    output += part
    for (const resume of waiting) resume()
  })
  const ended = once(child, 'exit')
  const seen = async (pattern: RegExp): Promise<'seen'> => {
    while (!pattern.test(output)) await new Promise<void>((resolve) => waiting.add(resolve))
    return 'seen'
  }
  const state = await Promise.race([failed, ended.then(() => 'ended' as const), seen(/ attached/)])
  if (state !== 'seen') {
    t.skip(
      'strace is not installed, or may not trace: apt-get install strace, in a container with --privileged.',
    )
    return undefined
  }
  return {
    async happen() {
      await seen(/\(INJECTED\)/)
      child.kill('SIGINT')
      await ended
    },
  }
}
