/** `restwell export --files` and `restwell import --files`: items with their files, into another database. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase, onPostgres } from '../database.ts'
import { png } from '../features/files/gallery.ts'
import { serve } from '../service.ts'
import { folderOf, outcomeOf, root } from './command.ts'
import albums from './fixtures/albums.ts'

const definition = join(root, 'test/commands/fixtures/albums.ts')
const pngFile = (name: string) => ({ file: name, type: 'image/png' })

test('files are imported from a folder, exported, and imported into another database', async (t) => {
  const folder = await folderOf(t)
  const place = async (name: string) => ({
    database: onPostgres ? await freshDatabase() : `file:${join(folder, `${name}.db`)}`,
    files: `file:${join(folder, `${name}-files`)}`,
  })
  const [first, second] = [await place('first'), await place('second')]
  const run = (words: readonly string[], { database, files }: typeof first) =>
    outcomeOf([...words, '--service', definition, '--database', database], {
      folder,
      environment: { FILES_URL: files },
    })
  const failed = async (records: readonly object[], ...flags: string[]) => {
    await writeFile(join(folder, 'bad.ndjson'), records.map((record) => JSON.stringify(record)).join('\n'))
    const { code, stderr } = await run(['import', 'albums', 'bad.ndjson', ...flags], first)
    assert.equal(code, 1, stderr)
    return stderr
  }
  const other = Buffer.concat([png, randomBytes(100)])
  await mkdir(join(folder, 'own', 'more'), { recursive: true })
  await writeFile(join(folder, 'own', 'a.png'), png)
  await writeFile(join(folder, 'own', 'more', 'b.png'), other)
  await writeFile(join(folder, 'own', 'empty.txt'), '')
  await writeFile(join(folder, 'own', 'large.png'), Buffer.concat([png, randomBytes(1000)]))
  await writeFile(join(folder, 'secret.png'), png)

  const from = ['--files', 'own']
  const cover = pngFile('a.png')
  const faults = await failed(
    [
      { title: 'Path', cover: pngFile('../secret.png') },
      { title: 'Missing', cover: pngFile('c.png') },
      { title: 'Large', cover: pngFile('large.png') },
      { title: 'Type', cover: { file: 'a.png', type: 'image/gif' } },
      { title: 'Octets', cover: pngFile('empty.txt') },
      { title: 'Digest', cover: { ...cover, digest: 'sha-256=:AA==:' } },
      { title: 'Form', cover: 'a.png', photos: [{ href: '/albums/1/cover' }] },
      { title: 'None' },
      { title: 'Many', cover, photos: [cover, cover, cover, cover] },
    ],
    ...from,
  )
  const expected = [
    /line 1, \/cover: There is no file '\.\.\/secret\.png' in own\./,
    /line 2, \/cover: There is no file 'c\.png' in own\./,
    /line 3, \/cover: The file may have at most 1 kB\./,
    /line 4, \/cover: .* has the type image\/gif\. Send one of: image\/png, text\/plain\./,
    /line 5, \/cover: The content is not image\/png/,
    /line 6, \/cover: The file 'a\.png' has another digest\./,
    /line 7, \/cover: Must be an object such as/,
    /line 7, \/photos\/0: Must be an object such as/,
    /line 8, \/cover: /,
    /line 9, \/photos: /,
  ]
  for (const fault of expected) assert.match(faults, fault)
  assert.match(await failed([{ title: 'X', cover }]), /\/cover: Name the folder of the files with --files/)
  assert.match(await failed([{ title: 'X', cover }], '--files', 'none'), /There is no folder none\./)

  const records = [
    {
      title: 'One',
      cover,
      notes: { file: 'empty.txt', type: 'text/plain' },
      photos: [cover, pngFile('more/b.png')],
    },
    { title: 'Two', cover: { ...cover, name: 'Été.png' }, photos: [] },
  ]
  await writeFile(join(folder, 'albums.ndjson'), records.map((record) => JSON.stringify(record)).join('\n'))
  const imported = await run(['import', 'albums', 'albums.ndjson', ...from], first)
  assert.match(imported.stdout, /^Imported 2 rows/m, imported.stderr)
  assert.match((await run(['export', 'albums', 'x.csv', '--files', 'x'], first)).stderr, /ends in \.ndjson/)
  const flags = ['--files', 'written']
  const exported = await run(['export', 'albums', 'out.ndjson', ...flags], first)
  assert.match(exported.stdout, /^Exported 2 rows/m, exported.stderr)
  // Equal content is written once.
  assert.equal((await readdir(join(folder, 'written'))).length, 3)
  const keep = [...flags, '--keep-times']
  const again = await run(['import', 'albums', 'out.ndjson', ...keep], second)
  assert.match(again.stdout, /^Imported 2 rows/m, again.stderr)
  const back = await run(['export', 'albums', 'back.ndjson', '--files', 'back'], second)
  assert.equal(back.code, 0, back.stderr)
  assert.equal(
    await readFile(join(folder, 'back.ndjson'), 'utf8'),
    await readFile(join(folder, 'out.ndjson'), 'utf8'),
  )

  await using s = await serve(albums, second)
  const [one, two] = (await s.request('GET /albums?sort=title', { accept: 'application/json' })).json
  assert.deepEqual((await s.request(`GET ${one.cover.href}`)).octets, png)
  assert.deepEqual((await s.request(`GET ${one.photos[1].href}`)).octets, other)
  assert.equal((await s.request(`GET ${one.notes.href}`)).octets.length, 0)
  assert.deepEqual([one.photos[1].name, two.cover.name, two.photos], ['b.png', 'Été.png', []])
})
