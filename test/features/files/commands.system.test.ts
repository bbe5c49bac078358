/** Definitions with files and the command line: check, routes, copy, migrate, several workers. */

import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { anyone, file, resource, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { schemaOf } from '../../../src/store/schema/model-schema.ts'
import { migrate } from '../../../src/store/schema/run-migration.ts'
import { StoreOpenError } from '../../../src/store/store.ts'
import { folderOf, outcomeOf, root } from '../../commands/command.ts'
import { freshDatabase, onPostgres } from '../../database.ts'
import { clientsOf, startWorkers } from '../../reliability/worker-service.ts'
import { serve } from '../../service.ts'
import { asPng, gallery, newPicture, png } from './gallery.ts'

const definition = join(root, 'test/features/files/gallery.ts')

test('check names the types and the size of a file; routes names its methods', async () => {
  const { stdout, code } = await outcomeOf(['check', definition])
  assert.equal(code, 0)
  assert.match(stdout, /locked: a file of at most 1 kB \(image\/png\)/)
  const routes = await outcomeOf(['routes', definition])
  assert.match(routes.stdout, /GET HEAD PUT DELETE OPTIONS +\/pictures\/\{id\}\/image +anyone/)
  assert.match(routes.stdout, /DELETE +\/pictures\/\{id\}\/locked +.*the role admin/)
})

test('copy copies the content of files, and refuses content that has another digest', async (t) => {
  const folder = await folderOf(t)
  const databaseAt = (name: string) => `file:${join(folder, `${name}.db`)}`
  const [from, to] = [databaseAt('from'), databaseAt('to')]
  let item = ''
  {
    await using s = await serve(gallery, { database: from, files: `${from}-files` })
    item = await newPicture(s.request)
    await s.request(`PUT ${item}/image`, asPng, png)
  }
  const args = ['copy', from, to, '--service', definition]
  const { code, stdout, stderr } = await outcomeOf(args)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /copied 1 file\n/)
  {
    await using s = await serve(gallery, { database: to, files: `${to}-files` })
    assert.deepEqual((await s.request(`GET ${item}/image`)).octets, png)
  }
  const [name = ''] = await readdir(join(folder, 'from.db-files'), { recursive: true }).then((names) =>
    names.filter((one) => /[0-9a-f]{62}$/.test(one)),
  )
  await writeFile(join(folder, 'from.db-files', name), 'damaged')
  const other = ['copy', from, databaseAt('other'), '--service', definition]
  const damaged = await outcomeOf(other)
  assert.equal(damaged.code, 1)
  const named = `${item.slice(1)}: the file 'image.png' (image) has other content than its digest says`
  assert.ok(damaged.stderr.includes(named), damaged.stderr)
  assert.match(damaged.stderr, /no row was copied/)
})

test('a file that one worker stores is served by the other', async (t) => {
  const { port } = await startWorkers(t, { definition: 'test/features/files/gallery.ts' })
  const [one, other] = await clientsOf(t, port)
  const item = await newPicture(one)
  assert.equal((await one(`PUT ${item}/image`, asPng, png)).status, 201)
  assert.deepEqual((await other(`GET ${item}/image`)).octets, png)
  assert.equal((await other(`DELETE ${item}/image`)).status, 204)
  assert.equal((await one(`GET ${item}/image`)).status, 404)
})

test('PostgreSQL needs FILES_URL where a definition has files', async () => {
  const args = ['serve', definition, '--database', 'postgres://localhost:1/none', '--port', '0']
  const { code, stderr } = await outcomeOf(args)
  assert.equal(code, 1)
  assert.match(stderr, /Set FILES_URL, such as file:data\/files/)
})

test('a migration adds a field for files, and removes one only where a loss is allowed', async (t) => {
  const folder = await folderOf(t)
  const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'a.db')}`
  const files = `file:${join(folder, 'files')}`
  const cover = file({ types: ['image/png'], max: '1 kB' }).optional()
  const access = { read: anyone, create: anyone, update: anyone }
  const define = (fields: object) =>
    service({ title: 'Notes', resources: { pictures: resource({ title: text(), ...fields }, { access }) } })
  const [without, withFile] = [define({}), define({ cover })]
  const fit = (to: unknown, extent: 'safe' | 'all') =>
    migrate(database, schemaOf(checkDefinition(to)), extent)
  let item = ''
  {
    await using s = await serve(without, { database })
    item = await newPicture(s.request)
  }
  await fit(withFile, 'safe')
  {
    await using s = await serve(withFile, { database, files })
    assert.equal((await s.request(`PUT ${item}/cover`, asPng, png)).status, 201)
  }
  await assert.rejects(fit(without, 'safe'), StoreOpenError)
  {
    await using s = await serve(withFile, { database, files })
    assert.deepEqual((await s.request(`GET ${item}/cover`)).octets, png)
  }
  await fit(without, 'all')
  await using s = await serve(without, { database })
  assert.deepEqual(Object.keys((await s.request(`GET ${item}`)).json), [
    'id',
    'title',
    'createdAt',
    'updatedAt',
  ])
})
