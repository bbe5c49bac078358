import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { packageFlags } from '../restwell.ts'

const program = join(import.meta.dirname, 'refused-opening-program.ts')
let folder = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restwell-refused-'))
})

after(() => rm(folder, { recursive: true, force: true }))

const refusals = [
  { reason: 'files', name: 'files larger than the bucket takes', message: /at most 5 GB/ },
  {
    reason: 'variables',
    name: 'variables of a provider that are not set',
    message: /Set EXAMPLE_ID, EXAMPLE_SECRET\./,
  },
  { reason: 'admin', name: 'a first account that is not valid', message: /password/ },
]

for (const { reason, name, message } of refusals) {
  test(`openService that rejects leaves nothing open: ${name}`, async () => {
    const args = [...packageFlags, program, `file:${join(folder, 'refused.db')}`, reason]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
    assert.match(stdout, message)
  })
}
