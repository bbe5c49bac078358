/** The projects of `restwell init`: they start, and the first request works as it is printed. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { commandEnvironment, folderOf, outcomeOf, root } from './command.ts'
import { startDev } from './dev-command.ts'

for (const template of ['minimal', 'tracker']) {
  test(`the template ${template} starts, and its first request works as it is printed`, async (t) => {
    const project = join(await folderOf(t), 'project')
    assert.equal((await outcomeOf(['init', project, '--template', template])).code, 0)
    mkdirSync(join(project, 'node_modules'))
    symlinkSync(root, join(project, 'node_modules/restwell'))
    const service = startDev(t, project)
    const line = await service.waitFor(/^Try +curl/)
    const request = line.replace(/^Try +/, '')
    const { stdout } = await promisify(execFile)('bash', ['-c', request], { env: commandEnvironment() })
    assert.match(stdout, /^HTTP\/1\.1 200 OK\r\n/)
    assert.deepEqual(await service.stop(), [0, null])
  })
}
