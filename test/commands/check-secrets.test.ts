/** `restwell check` says whether RESTWELL_SECRET_KEY encrypts the secrets of the database. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkSecrets } from '../../src/commands/check-secrets.ts'
import { readConfig } from '../../src/operation/configuration/config.ts'
import { openStore } from '../../src/store/open-store.ts'
import { postgres } from '../postgres.ts'
import { folderFor } from '../store/folder.ts'
import { outcomeOf } from './command.ts'

const [key, newKey] = [randomBytes(32), randomBytes(32)]
const text = (...keys: readonly Buffer[]) => keys.map((one) => one.toString('base64')).join(',')

/** Opens the database as a start with these keys does, with a secret of its own. */
async function start(database: string, ...secretKeys: readonly Buffer[]): Promise<void> {
  const store = await openStore(database, { tables: {} }, () => undefined, { secretKeys })
  await store.loadSecret('cursor')
  await store.close()
}

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  test(`${kind}: check follows a rotation beside the service that runs`, async (t) => {
    const database = kind === 'SQLite' ? `file:${join(folderFor(t), 'a.db')}` : (await postgres()).freshUrl()
    const running = await openStore(database, { tables: {} }, () => undefined)
    await running.loadSecret('cursor')
    const said = async (...keys: readonly Buffer[]) => (await checkSecrets(database, keys)).lines.join('\n')
    assert.match(await said(), /^1 of 1 are not encrypted: .* Set RESTWELL_SECRET_KEY\.$/)
    assert.equal(await said(key), '1 of 1 are not encrypted. The next start encrypts them.')
    await running.close()
    await start(database, key)
    assert.equal(await said(key), '1 of 1 are encrypted with the first key.')
    assert.match(await said(newKey, key), /^1 of 1 are encrypted with a former key\. Keep it until/)
    for (const keys of [[], [newKey]]) {
      const { lines, isRefused } = await checkSecrets(database, keys)
      assert.match(lines.join(), /^1 of 1 are encrypted with a key that RESTWELL_SECRET_KEY does not have/)
      assert.equal(isRefused, true)
    }
    await start(database, newKey, key)
    const notNeeded = '1 of 1 are encrypted with the first key. The other keys are not needed any more.'
    assert.deepEqual(await checkSecrets(database, [newKey, key]), { lines: [notNeeded], isRefused: false })
  })
}

test('a database that does not exist has no secrets, and is not created', async (t) => {
  const file = join(folderFor(t), 'a.db')
  for (const database of [`file:${file}`, 'file::memory:']) {
    assert.deepEqual(await checkSecrets(database, [key]), { lines: [], isRefused: false })
  }
  assert.ok(!existsSync(file))
})

test('a database that cannot be read is not checked, which is no fault of the definition', async (t) => {
  const file = join(folderFor(t), 'a.db')
  writeFileSync(file, 'This is no database, but long enough to be read as one. '.repeat(20))
  const { lines, isRefused } = await checkSecrets(`file:${file}`, [])
  assert.match(lines.join(), /^They were not checked\. /)
  assert.equal(isRefused, false)
})

test('the command exits with 1 where a start would be refused for want of the key', async (t) => {
  const database = `file:${join(folderFor(t), 'a.db')}`
  await start(database, key)
  const environment = { DATABASE_URL: database, RESTWELL_SECRET_KEY: text(key) }
  const right = await outcomeOf(['check', 'examples/shop.ts'], { environment })
  assert.match(right.stdout, /\nSecrets:\n {2}1 of 1 are encrypted with the first key\.\n$/)
  assert.equal(right.code, 0)
  const lacking = await outcomeOf(['check', 'examples/shop.ts', '--database', database])
  assert.match(lacking.stdout, /is valid.*a start is refused/s)
  assert.equal(lacking.code, 1)
  const wrong = await outcomeOf(['check', 'examples/shop.ts'], { environment: { RESTWELL_SECRET_KEY: 'x' } })
  assert.match(wrong.stderr, /^RESTWELL_SECRET_KEY must be 32 octets/)
  assert.equal(wrong.code, 1)
})

test('the keys are in the environment or in a file, one or more; no fault repeats one', (t) => {
  const file = join(folderFor(t), 'key')
  const keysOf = (environment: Record<string, string>) =>
    readConfig([], environment).secretKeys.map((one) => Buffer.from(one))
  assert.deepEqual(keysOf({}), [])
  assert.deepEqual(keysOf({ RESTWELL_SECRET_KEY: '' }), [])
  assert.deepEqual(keysOf({ RESTWELL_SECRET_KEY: key.toString('hex') }), [key])
  assert.deepEqual(keysOf({ RESTWELL_SECRET_KEY: text(newKey, key) }), [newKey, key])
  writeFileSync(file, `${newKey.toString('base64')}\n${key.toString('hex')}\n`)
  assert.deepEqual(keysOf({ RESTWELL_SECRET_KEY_FILE: file }), [newKey, key])
  const short = randomBytes(31).toString('base64')
  for (const wrong of [short, `${text(key)},${short}`, ' ', ',']) {
    assert.throws(
      () => keysOf({ RESTWELL_SECRET_KEY: wrong }),
      (error) => {
        assert.match(String(error), /RESTWELL_SECRET_KEY must be 32 octets/)
        return !String(error).includes(short)
      },
    )
  }
  writeFileSync(file, '\n')
  assert.throws(() => keysOf({ RESTWELL_SECRET_KEY_FILE: file }), /must be 32 octets/)
  assert.throws(() => keysOf({ RESTWELL_SECRET_KEY_FILE: `${file}-none` }), /cannot be read: ENOENT/)
  const two = { RESTWELL_SECRET_KEY: text(key), RESTWELL_SECRET_KEY_FILE: file }
  assert.throws(() => keysOf(two), /RESTWELL_SECRET_KEY or RESTWELL_SECRET_KEY_FILE, not both/)
})
