/** The front end without a build of the guide, with the project of `restwell init`. */

import assert from 'node:assert/strict'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Definition } from '../../src/index.ts'
import { folderOf, root } from '../commands/command.ts'
import { codeBlocks, readPages } from '../docs-pages.ts'
import { adminLogin, adminPassword, serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false

test('the page of the guide signs in, shows the own notes and signs out, on the origin of the service', {
  skip,
}, async (t) => {
  const folder = await folderOf(t)
  const definition = await writeProject(folder)
  await using served = await serve(definition)
  const { page, complaints } = await visitor(served.url)
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.locator('#login').fill(adminLogin)
  await page.locator('#password').fill(adminPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  const made = await page.evaluate(createNote)
  assert.equal(made, 201)
  await page.reload()
  assert.equal(await page.getByRole('listitem').textContent(), 'Buy milk')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  assert.equal(await page.getByRole('listitem').count(), 0)
  assert.deepEqual(complaints, [])
})

/** The definition of the template, with the options that the guide adds, and the files of the guide. */
async function writeProject(folder: string): Promise<Definition> {
  const [guide] = readPages('docs/guide/single-page-app.md')
  assert.ok(guide)
  const blocks = codeBlocks(guide)
  const index = blocks.find(({ language }) => language === 'html')
  const script = blocks.find(({ reason }) => reason?.includes('test/browser/site.test.ts'))
  const web = join(folder, 'web')
  await mkdir(web)
  await writeFile(join(web, 'index.html'), index?.code ?? '')
  await writeFile(join(web, 'app.js'), script?.code ?? '')
  const file = join(folder, 'service.ts')
  await cp(join(root, 'templates/minimal/service.ts'), file)
  const options = `base: '/api', site: { folder: ${JSON.stringify(web)}, fallback: 'index.html' },`
  await writeFile(file, (await readFile(file, 'utf8')).replace("title: 'Notes',", `$& ${options}`))
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/restwell'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  return (await import(pathToFileURL(file).href)).default
}

/** Runs in the browser. */
async function createNote() {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ title: 'Buy milk' })
  return (await fetch('/api/notes', { method: 'POST', headers, body })).status
}
