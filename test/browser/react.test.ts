/** A watched list in React, without an adapter: its own `useSyncExternalStore` takes the two functions of the list. */

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { build } from 'esbuild'
import { anyone, boolean, resource, service, text } from '../../src/index.ts'
import { eventually } from '../eventually.ts'
import { frameworksFolder, whyNoFramework } from '../frameworks-folder.ts'
import { admin, serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const program = `
import { createElement as tag, StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { client } from '/api/client.js'

const open = client('/api').tasks.watch({ done: false, sort: 'title' })

function Tasks() {
  const tasks = useSyncExternalStore(open.subscribe, open.snapshot)
  if (!tasks) return tag('p', null, 'Loading')
  return tag('ul', null, tasks.map(({ id, title }) => tag('li', { key: id }, title)))
}

createRoot(document.getElementById('app')).render(tag(StrictMode, null, tag(Tasks)))
`

/** The folder of a front end that is built of the program. */
async function builtSite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-react-'))
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><title>Tasks</title><div id="app"></div><script type="module" src="/app.js"></script>',
  )
  await build({
    stdin: { contents: program, resolveDir: frameworksFolder },
    outfile: join(folder, 'app.js'),
    bundle: true,
    format: 'esm',
    external: ['/api/client.js'],
  })
  return folder
}

test('a list in React stays current: items arrive in order, and leave with the filter', {
  skip: whyNoBrowser() ?? whyNoFramework('react-dom'),
}, async () => {
  const folder = await builtSite()
  const access = { read: anyone, create: anyone, update: anyone }
  const tasks = resource({ title: text(), done: boolean().default(false) }, { access })
  await using running = await serve(
    service({ title: 'Tasks', base: '/api', site: { folder }, resources: { tasks } }),
  )
  const { context, page, complaints } = await visitor(running.url)
  const shown = (...titles: readonly string[]) =>
    eventually(async () => (await page.locator('li').allTextContents()).join() === titles.join())
  try {
    const { json: milk } = await running.request('POST /api/tasks', admin, { title: 'Milk' })
    await page.goto('/')
    await shown('Milk')
    await running.request('POST /api/tasks', admin, { title: 'Bread' })
    await shown('Bread', 'Milk')
    await running.request(`PATCH /api/tasks/${milk.id}`, admin, { done: true })
    await shown('Bread')
    assert.deepEqual(complaints, [])
  } finally {
    await context.close()
    await rm(folder, { recursive: true })
  }
})
