/** What an idle service has loaded (docs/performance.md). */

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderOf, root, running } from './command.ts'

const definition = `
  import { anyone, integer, list, resource, service, text } from '${join(root, 'src/index.ts')}'
  const notes = resource(
    { title: text(), tags: list(text()).default([]), stars: integer().default(0) },
    { access: { read: anyone, create: anyone } },
  )
  export default service({ title: 'Notes', resources: { notes } })`

/** Writes the names of the modules of Node and of packages that the main thread has loaded. */
const report = `
  import { isMainThread } from 'node:worker_threads'
  import { createRequire } from 'node:module'
  import { writeFileSync } from 'node:fs'
  const { cache } = createRequire(import.meta.url)
  process.on('exit', () => {
    const modules = [...process.moduleLoadList, ...Object.keys(cache)]
    if (isMainThread) writeFileSync(process.env.LOADED_MODULES, modules.join('\\n'))
  })`

test('a service without webhooks, files and schemas of users loads no client of fetch, no TLS and no Ajv', async (t) => {
  const folder = await folderOf(t)
  const loaded = join(folder, 'loaded')
  await writeFile(join(folder, 'service.ts'), definition)
  await writeFile(join(folder, 'report.mjs'), report)
  const environment = {
    DATABASE_URL: `file:${join(folder, 'data.db')}`,
    LOADED_MODULES: loaded,
    NODE_OPTIONS: `--import ${join(folder, 'report.mjs')}`,
  }
  const service = await running(['serve', 'service.ts', '--port', '0'], { folder, environment })
  assert.equal((await fetch(`${service.url}/notes`)).status, 200)
  assert.equal(await service.stop(), 0)
  const modules = (await readFile(loaded, 'utf8')).split('\n')
  assert.ok(modules.includes('NativeModule http'))
  const large = modules.filter((name) =>
    /undici|NativeModule (tls|https|http2)$|node_modules\/ajv\//.test(name),
  )
  assert.deepEqual(large, [])
})
