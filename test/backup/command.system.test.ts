/** `restwell backup` and `restwell restore` beside a running service, and their age on /status and /metrics. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderOf, outcomeOf, root, running } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { restwellProgram } from '../restwell.ts'
import { basic } from '../service.ts'

const definition = join(root, 'examples/shop.ts')
const password = 'correct horse battery'

test('backup, verify, restore; /status and /metrics show the age and the last verification', async (t) => {
  const folder = await folderOf(t)
  const database = `file:${join(folder, 'shop.db')}`
  const backups = join(folder, 'backups')
  const environment = {
    RESTWELL_BACKUPS: backups,
    RESTWELL_ADMIN: `admin@example.org:${password}`,
    LOG_LEVEL: 'error',
  }
  const service = await running(['serve', definition, '--port', '0', '--database', database], { environment })
  const get = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(service.url + path, { headers })
    assert.equal(response.status, 200, path)
    return response
  }
  const admin = basic('admin@example.org', password)
  const status = async () =>
    (await (await get('/status', { ...admin, accept: 'application/json' })).json()) as {
      backups: { newest: string | null; age: number | null; verified: string | null }
      freeSpace: number
    }
  assert.deepEqual((await status()).backups, { newest: null, age: null, verified: null })
  assert.ok((await status()).freeSpace > 0)
  const flags = ['--service', definition, '--database', database]
  const backup = await outcomeOf(['backup', '--to', backups, ...flags])
  assert.match(backup.stdout, /^Backed up \d+ rows to .*\.backup in [\d.]+ s\.\n$/, backup.stderr)
  const verified = await outcomeOf(['backup', 'verify', backups])
  assert.match(verified.stdout, /^Verified .*\.backup: \d+ rows restored and compared\.\n$/, verified.stderr)
  const shown = (await status()).backups
  assert.ok(
    shown.newest !== null && shown.age !== null && shown.verified !== null && shown.verified > shown.newest,
  )
  const page = await (await get('/status', { ...admin, accept: 'text/html' })).text()
  assert.match(page, /<dt>Backups<\/dt>/)
  const token = await fetch(`${service.url}/tokens`, {
    method: 'POST',
    headers: { ...admin, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'prometheus', scopes: ['metrics:read'] }),
  })
  const bearer = { authorization: `Bearer ${((await token.json()) as { token: string }).token}` }
  const metrics = await (await get('/metrics', bearer)).text()
  assert.match(metrics, /^restwell_backup_age_seconds \d+$/m)
  assert.match(metrics, /^restwell_backup_verified_timestamp_seconds [\d.]+$/m)
  assert.match(metrics, /^restwell_disk_free_bytes \d+$/m)
  assert.equal((await fetch(`${service.url}/status`, { headers: bearer })).status, 403)
  const busy = await outcomeOf(['restore', backups, '--force', '--database', database])
  assert.match(busy.stderr, /is in use by another process/)
  assert.equal(await service.stop(), 0)
  const refused = await outcomeOf(['restore', backups, '--database', database])
  assert.match(refused.stderr, /exists already/)
  const early = await outcomeOf(['restore', backups, '--at', '2020-01-01', '--database', database])
  assert.match(early.stderr, /The first backup in .* is of 20/)
  const restored = await outcomeOf(['restore', backups, '--force', '--database', database])
  assert.match(restored.stdout, /^Restored \d+ rows of .*, and compared them\.$/m, restored.stderr)
})

test('--every repeats the backup until SIGTERM, and --keep removes old ones', async (t) => {
  const folder = await folderOf(t)
  const database = `file:${join(folder, 'shop.db')}`
  const environment = { RESTWELL_ADMIN: `admin@example.org:${password}`, LOG_LEVEL: 'error' }
  const service = await running(['serve', definition, '--port', '0', '--database', database], { environment })
  const backups = join(folder, 'backups')
  const words = [
    '--to',
    backups,
    '--every',
    '1s',
    '--keep',
    '2s',
    '--service',
    definition,
    '--database',
    database,
  ]
  const child = spawn(process.execPath, [...restwellProgram, 'backup', ...words])
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (part) => {
    output += part
  })
  await eventually(() => {
    assert.equal(child.exitCode, null)
    return /Removed \d+ old backups?\./.test(output)
  })
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  const left = readdirSync(backups).filter((name) => name.endsWith('.backup')).length
  assert.ok(left >= 1 && left < output.split('Backed up').length - 1)
  await service.stop()
})

test('wrong flags say what to change', async (t) => {
  const folder = await folderOf(t)
  const fault = async (...words: string[]) => (await outcomeOf(words, { folder })).stderr
  assert.match(
    await fault('backup'),
    /Expected a folder or an s3:\/\/ URL, such as: restwell backup --to backups/,
  )
  assert.match(
    await fault('backup', '--to', 'x', '--every', '1 hour'),
    /such as 30s, 15m, 1h or 7d after --every/,
  )
  assert.match(
    await fault('backup', '--to', 'ftp://host/backups', '--service', definition),
    /Expected a folder or an s3:\/\/ URL for backups, not 'ftp:/,
  )
  assert.match(await fault('backup', 'check'), /Unknown action 'check'\. Expected: verify/)
  assert.match(await fault('restore', folder, '--at', 'noon'), /Expected a time such as/)
  const keyed = await outcomeOf(['restore', folder], { folder, environment: { RESTWELL_BACKUP_KEY: 'x' } })
  assert.match(keyed.stderr, /RESTWELL_BACKUP_KEY must be 32 octets/)
  const none = await outcomeOf(
    ['backup', '--to', 'b', '--service', definition, '--database', 'file:none.db'],
    { folder },
  )
  assert.match(none.stderr, /There is no database file at file:none\.db/)
})
