/** Secrets that keys from outside of the database encrypt (docs/guide/operating.md, "Encrypt the secrets in the database"). */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainEncoding } from '../../src/operation/backup/backup-encoding.ts'
import { openFolderPlace } from '../../src/operation/backup/folder-place.ts'
import { restoreBackup } from '../../src/operation/backup/restore-backup.ts'
import { takeBackup } from '../../src/operation/backup/take-backup.ts'
import { listCopiedTables } from '../../src/store/copy/copied-table.ts'
import { openSnapshot } from '../../src/store/copy/open-snapshot.ts'
import { openStore } from '../../src/store/open-store.ts'
import { Secrets } from '../../src/store/secrets.ts'
import { type Store, StoreUnavailable } from '../../src/store/store.ts'
import { createValueEncryption } from '../../src/tools/value-encryption.ts'
import { postgres } from '../postgres.ts'
import { folderFor } from './folder.ts'
import { schema, table, text } from './tables.ts'

const things = schema(table('things', [text('a')]))
const ignore = () => undefined
const [key, newKey] = [randomBytes(32), randomBytes(32)]

const databases = {
  SQLite: async (t: TestContext) => `file:${join(folderFor(t), 'a.db')}`,
  PostgreSQL: async (_: TestContext) => (await postgres()).freshUrl(),
}

function open(database: string, secretKeys: readonly Uint8Array[] = []): Promise<Store> {
  return openStore(database, things, ignore, { secretKeys })
}

/** Opens the database, uses it, and closes it. */
async function using<Result>(
  database: string,
  secretKeys: readonly Uint8Array[],
  work: (store: Store) => Result | Promise<Result>,
): Promise<Result> {
  const store = await open(database, secretKeys)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const load = (name: string) => async (store: Store) => Buffer.from(await store.loadSecret(name))

/** The secrets as the database has them. */
async function stored(database: string): Promise<readonly Buffer[]> {
  const found = listCopiedTables(things).find(({ name }) => name === '_secrets')
  assert.ok(found)
  await using snapshot = await openSnapshot(database, things)
  const rows = await snapshot.rows(found, undefined, 100)
  return rows.map(([, value]) => Buffer.from(value as Uint8Array))
}

const refused = {
  name: 'StoreOpenError',
  message: /encrypted with the key [0-9a-f]{8}, which RESTWELL_SECRET_KEY does not have/,
}

for (const [name, fresh] of Object.entries(databases)) {
  test(`${name}: with a key no secret is stored as it is; a start without this key is refused`, async (t) => {
    const database = await fresh(t)
    const secret = await using(database, [key], load('webhooks'))
    assert.equal(secret.length, 32)
    for (const value of await stored(database)) assert.ok(!value.includes(secret))
    assert.deepEqual(await using(database, [key], load('webhooks')), secret)
    await assert.rejects(open(database), refused)
    await assert.rejects(open(database, [newKey]), refused)
  })

  test(`${name}: a start with a first key encrypts all secrets that are there, and they stay the same`, async (t) => {
    const database = await fresh(t)
    const names = ['credentials', 'webhooks', 'mails']
    const plain = await using(database, [], (store) => Promise.all(names.map((one) => load(one)(store))))
    await using(database, [key], ignore)
    const values = await stored(database)
    assert.equal(values.length, names.length)
    for (const value of values) assert.ok(plain.every((secret) => !value.includes(secret)))
    const loaded = await using(database, [key], (store) => Promise.all(names.map((one) => load(one)(store))))
    assert.deepEqual(loaded, plain)
  })

  test(`${name}: rotation: after a start with the new key before the former one, the former one opens nothing`, async (t) => {
    const database = await fresh(t)
    const secret = await using(database, [key], load('credentials'))
    // The first step of a service with several nodes: all know the new key, and none uses it.
    await using(database, [key, newKey], ignore)
    assert.deepEqual(await using(database, [key], load('credentials')), secret)
    await using(database, [newKey, key], ignore)
    assert.deepEqual(await using(database, [newKey], load('credentials')), secret)
    await assert.rejects(open(database, [key]), refused)
  })

  test(`${name}: a backup has no key to what is encrypted in it; restored, it needs the key of its time`, async (t) => {
    const database = await fresh(t)
    const secret = await using(database, [key], load('webhooks'))
    const encrypted = createValueEncryption(secret).encrypt('a webhook', Buffer.from('whsec'))
    const quiet = { encoding: plainEncoding, report: ignore, openFiles: undefined }
    const place = openFolderPlace(folderFor(t))
    const taken = await takeBackup({ database, schema: things, place, encoding: plainEncoding })
    const restored = await fresh(t)
    await restoreBackup({ stored: taken, ...quiet }, { database: restored, existing: 'refuse' })
    for (const value of await stored(restored)) {
      const wrong = createValueEncryption(value.subarray(0, 32))
      assert.throws(() => wrong.decrypt('a webhook', encrypted))
    }
    await assert.rejects(open(restored), refused)
    const opened = createValueEncryption(await using(restored, [newKey, key], load('webhooks')))
    assert.equal(opened.decrypt('a webhook', encrypted).toString(), 'whsec')
  })
}

test('an encrypted secret leaves nothing of itself in a SQLite file', async (t) => {
  const folder = folderFor(t)
  const database = `file:${join(folder, 'a.db')}`
  const names = ['credentials', 'webhooks']
  const plain = await using(database, [], (store) => Promise.all(names.map((one) => load(one)(store))))
  await using(database, [key], ignore)
  const files = readdirSync(folder)
  assert.ok(files.includes('a.db'))
  for (const file of files) {
    const octets = readFileSync(join(folder, file))
    assert.ok(
      plain.every((secret) => !octets.includes(secret)),
      file,
    )
  }
})

test('PostgreSQL: nodes that start at the same time with a new key agree on every secret', async (t) => {
  const database = await databases.PostgreSQL(t)
  const secret = await using(database, [key], load('webhooks'))
  const nodes = await Promise.all(Array.from({ length: 4 }, () => open(database, [newKey, key])))
  const known = await Promise.all(nodes.map(load('webhooks')))
  const made = await Promise.all(nodes.map(load('mails')))
  for (const node of nodes) await node.close()
  for (const one of known) assert.deepEqual(one, secret)
  for (const one of made) assert.deepEqual(one, made[0])
})

test('an encrypted secret in the place of another one is refused', async (t) => {
  const database = await databases.SQLite(t)
  await using(database, [key], load('credentials'))
  await using(database, [key], load('webhooks'))
  const [, other] = await stored(database)
  const rows = { names: () => ['credentials'], find: () => other, replace: async () => undefined }
  await assert.rejects(new Secrets(rows, [key]).load('credentials'), /unable to authenticate data/)
})

test('a secret that cannot be encrypted now, as on a full disk, is still read', async () => {
  const plain = randomBytes(32)
  const full = async () => {
    throw new StoreUnavailable('full', 'The disk is full.')
  }
  const secrets = new Secrets({ names: () => ['cursor'], find: () => plain, replace: full }, [key])
  await assert.rejects(secrets.sealAll(), { reason: 'full' })
  assert.deepEqual(await secrets.load('cursor'), plain)
})
