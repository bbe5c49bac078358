/** The service under `node --watch`, which makes threads and processes send messages of its own. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { restwellProgram } from '../restwell.ts'
import { commandEnvironment, folderOf, root } from './command.ts'

const words = JSON.stringify(join(root, 'src/index.ts'))
const definition = `import { anyone, resource, service, text } from ${words}
const access = { read: anyone, create: anyone }
export default service({ title: 'Notes', resources: { notes: resource({ title: text() }, { access }) } })
`

for (const flags of [[], ['--workers', '2']]) {
  test(`under node --watch it writes and reads${flags.length > 0 ? ' with workers' : ''}`, async (t) => {
    const folder = await folderOf(t)
    writeFileSync(join(folder, 'service.ts'), definition)
    const { url, signal } = await watched(t, folder, flags)
    for (const title of ['first', 'second']) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ title })
      const made = await fetch(`${url}/notes`, { method: 'POST', headers, body, signal })
      assert.equal(made.status, 201)
    }
    const list = (await (await fetch(`${url}/notes`, { signal })).json()) as { title: string }[]
    assert.deepEqual(
      list.map(({ title }) => title),
      ['first', 'second'],
    )
  })
}

/** Its URL, once it listens, and a signal that tells of its end. */
function watched(t: TestContext, folder: string, flags: readonly string[]) {
  const command = [...restwellProgram, 'serve', 'service.ts', '--port', '0', ...flags]
  const child = spawn(process.execPath, ['--watch', ...command], {
    cwd: folder,
    env: { ...commandEnvironment(), DATABASE_URL: 'file:notes.db', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGTERM'))
  const ended = new AbortController()
  return new Promise<{ url: string; signal: AbortSignal }>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^Listening on (\S+)$/.exec(line)?.[1]
      if (url !== undefined) resolve({ url, signal: ended.signal })
      // Node goes on waiting for a change.
      if (line.includes('Failed running')) ended.abort(new Error(line))
    })
  })
}
