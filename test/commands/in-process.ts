/** A command in the process of the test, which takes less time than a process of its own. */

import type { TestContext } from 'node:test'
import { run } from '../../src/cli.ts'

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command from the folder of the repository on; its output is collected. */
export async function runCommand(t: TestContext, args: readonly string[]): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' }
  const mocks = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name]
    const write = stream.write.bind(stream)
    return t.mock.method(stream, 'write', (content: string | Uint8Array) => {
      // The runner sends the results of earlier tests to its parent process as octets, through the same stream.
      if (typeof content !== 'string') return write(content)
      written[name] += content
      return true
    })
  })
  try {
    return { code: await run(args), ...written }
  } finally {
    for (const { mock } of mocks) mock.restore()
  }
}
