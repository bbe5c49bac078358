/** Backups have the content of files: taken beside a running service, verified, restored. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { someOf } from '../../cases.ts'
import { folderOf, outcomeOf } from '../../commands/command.ts'
import { freshDatabase, onPostgres } from '../../database.ts'
import { adminLogin, adminPassword, basic, serve } from '../../service.ts'
import { asPng, gallery, newPicture, png } from './gallery.ts'
import { startS3 } from './s3-server.ts'

const definition = 'test/features/files/gallery.ts'
const key = { RESTWELL_BACKUP_KEY: randomBytes(32).toString('base64') }

async function placeOf(t: TestContext) {
  const folder = await folderOf(t)
  const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'a.db')}`
  return { folder, database, files: join(folder, 'files'), backups: join(folder, 'backups') }
}

/** Runs the command; returns what it printed. */
async function run(args: readonly string[], environment: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await outcomeOf(args, { environment })
  assert.equal(code, 0, stderr)
  return stdout
}

/** Sees the original, which may be large. */
const admin = basic(adminLogin, adminPassword)

const large = Buffer.concat([png, randomBytes(9_000_000)])

const kinds = [
  ['plain', {}],
  ['encrypted', key],
] as const

for (const [name, variables] of someOf(kinds, 1)) {
  test(`${name}: files are backed up, verified, and restored before the rows that name them`, async (t) => {
    const { folder, database, files, backups } = await placeOf(t)
    const environment = { ...variables, FILES_URL: `file:${files}` }
    const flags = ['--service', definition, '--database', database]
    let items: string[] = []
    {
      await using s = await serve(gallery, { database, files: `file:${files}` })
      items = [await newPicture(s.request), await newPicture(s.request), await newPicture(s.request)]
      await s.request(`PUT ${items[0]}/image`, asPng, png)
      await s.request(`PUT ${items[1]}/original`, { ...asPng, ...admin }, large)
      await s.request(`PUT ${items[2]}/image`, { 'content-type': 'text/plain' }, '')
      const taken = await run(['backup', '--to', backups, ...flags], environment)
      assert.match(taken, /^Backed up \d+ rows and 3 files to /)
      // Written after the backup, so it is not in it.
      await s.request(`PUT ${items[0]}/image`, asPng, Buffer.concat([png, png]))
    }
    assert.match(
      await run(['backup', 'verify', backups], environment),
      /rows and 3 files restored and compared/,
    )
    const target = onPostgres ? await freshDatabase() : `file:${join(folder, 'b.db')}`
    const other = { ...environment, FILES_URL: `file:${join(folder, 'other')}` }
    const restored = await run(['restore', backups, '--database', target], other)
    assert.match(restored, /^Restored \d+ rows and 3 files of /m)
    await using s = await serve(gallery, { database: target, files: other.FILES_URL })
    assert.deepEqual((await s.request(`GET ${items[0]}/image`)).octets, png)
    assert.equal((await s.request(`GET ${items[2]}/image`)).octets.length, 0)
    assert.ok((await s.request(`GET ${items[1]}/original`, admin)).octets.equals(large))
  })
}

test('a second backup adds only new content; removing old ones keeps what the others have', async (t) => {
  const { database, files, backups } = await placeOf(t)
  const environment = { FILES_URL: `file:${files}` }
  const flags = ['--service', definition, '--database', database]
  await using s = await serve(gallery, { database, files: `file:${files}` })
  const item = await newPicture(s.request)
  await s.request(`PUT ${item}/original`, { ...asPng, ...admin }, large)
  await run(['backup', '--to', backups, ...flags], environment)
  const before = await chunksIn(backups)
  await s.request(`PUT ${item}/image`, asPng, png)
  await run(['backup', '--to', backups, ...flags], environment)
  const after = await chunksIn(backups)
  assert.ok(before.isSubsetOf(after))
  assert.match(await run(['backup', '--to', backups, '--keep', '1s', ...flags], environment), /2 files/)
  assert.match(await run(['backup', 'verify', backups], environment), /and 2 files/)
})

async function chunksIn(backups: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(join(backups, 'chunks'), { recursive: true, withFileTypes: true })
  return new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
}

test('a damaged or missing chunk of a file is found by verify and refused by restore', async (t) => {
  const { folder, database, files, backups } = await placeOf(t)
  const environment = { FILES_URL: `file:${files}` }
  {
    await using s = await serve(gallery, { database, files: `file:${files}` })
    const before = await run(
      ['backup', '--to', backups, '--service', definition, '--database', database],
      environment,
    )
    assert.match(before, /^Backed up \d+ rows to /)
    const rows = await chunksIn(backups)
    const item = await newPicture(s.request)
    await s.request(`PUT ${item}/original`, { ...asPng, ...admin }, large)
    await run(['backup', '--to', backups, '--service', definition, '--database', database], environment)
    const sizes = [...(await chunksIn(backups)).difference(rows)]
    assert.ok(sizes.length >= 3)
  }
  const entries = await readdir(join(backups, 'chunks'), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sized = await Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })))
  // The content is random, so its chunks are the largest ones.
  const largest = sized.toSorted((a, b) => b.size - a.size)[0]!.path
  const target = onPostgres ? await freshDatabase() : `file:${join(folder, 'b.db')}`
  const refuse = async (reason: RegExp) => {
    const verified = await outcomeOf(['backup', 'verify', backups], { environment })
    assert.equal(verified.code, 1)
    assert.match(verified.stderr, reason)
    const other = { FILES_URL: `file:${join(folder, 'other')}` }
    const restored = await outcomeOf(['restore', backups, '--database', target], { environment: other })
    assert.equal(restored.code, 1)
    assert.match(restored.stderr, reason)
  }
  await writeFile(largest, 'x')
  await refuse(/is damaged/)
  await rm(largest)
  await refuse(/is missing/)
})

test('files in a bucket are backed up, and restored into a folder', async (t) => {
  const { folder, database, backups } = await placeOf(t)
  await using s3 = await startS3()
  const flags = ['--service', definition, '--database', database]
  let item = ''
  {
    await using s = await serve(gallery, { database, files: s3.url })
    item = await newPicture(s.request)
    await s.request(`PUT ${item}/image`, asPng, png)
    assert.match(await run(['backup', '--to', backups, ...flags], { FILES_URL: s3.url }), /and 1 file to/)
  }
  const files = `file:${join(folder, 'other')}`
  const target = onPostgres ? await freshDatabase() : `file:${join(folder, 'b.db')}`
  await run(['restore', backups, '--database', target], { FILES_URL: files })
  await using s = await serve(gallery, { database: target, files })
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, png)
  await s3.proxy.cut()
  const failed = await outcomeOf(['backup', '--to', backups, ...flags], {
    environment: { FILES_URL: s3.url },
  })
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /The store of files/)
})

test('other users of the machine can open neither uploaded files nor backups', async (t) => {
  const { database, files, backups } = await placeOf(t)
  await using s = await serve(gallery, { database, files: `file:${files}` })
  const item = await newPicture(s.request)
  await s.request(`PUT ${item}/image`, asPng, png)
  const flags = ['--service', definition, '--database', database]
  await run(['backup', '--to', backups, ...flags], { FILES_URL: `file:${files}` })
  for (const folder of [files, backups]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    assert.ok(entries.some((entry) => entry.isFile()))
    for (const entry of entries) {
      const { mode } = await stat(join(entry.parentPath, entry.name))
      assert.equal(mode & 0o777, entry.isFile() ? 0o600 : 0o700, entry.name)
    }
  }
})
