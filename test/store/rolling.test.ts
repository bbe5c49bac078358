/** Rolling deploys on a SQLite file, which one process has at a time. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { rollingContract } from './rolling-contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'restwell-rolling-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

rollingContract('SQLite', async () => `file:${join(folder, `${files++}.db`)}`, 'in turns')
