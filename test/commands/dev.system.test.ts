/** `restwell dev`: reloads without failed requests, shows faults, migrates without loss, seeds, shows mails. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { folderOf, root } from './command.ts'
import { startDev, urlIn } from './dev-command.ts'

const words = JSON.stringify(join(root, 'src/index.ts'))

/** The file of the definition, with these fields of the notes. */
const definition = (
  fields: string,
) => `import { anyone, email, integer, password, resource, service, text } from ${words}
import { max } from './limits.ts'
const access = { read: anyone, create: anyone }
const users = resource({ email: email().unique(), password: password({ min: 12 }) }, { access: { create: anyone } })
export default service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  mail: { from: 'service@example.org' },
  resources: { users, notes: resource({ title: text({ max }), ${fields} }, { access }) },
})
export const sample = { notes: [{ title: 'seeded' }] }
`

test('restwell dev', async (t) => {
  const folder = await folderOf(t)
  const write = (name: string, text: string) => {
    // Editors often replace a file by another one.
    writeFileSync(join(folder, `${name}.new`), text)
    renameSync(join(folder, `${name}.new`), join(folder, name))
  }
  write('service.ts', definition(''))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'node_modules/typescript'), join(folder, 'node_modules/typescript'))
  write('tsconfig.json', JSON.stringify({ compilerOptions: { types: [] }, files: ['limits.ts'] }))
  const service = startDev(t, folder)
  const { waitFor } = service
  const url = urlIn(await waitFor(/^Save the file to start again\. Until then, /))

  await t.test('a fault of the first start is shown, and corrected by a file that was missing', async () => {
    await waitFor(/service\.ts cannot be loaded: .*limits\.ts/)
    const api = await fetch(`${url}/notes`)
    assert.equal(api.status, 503)
    assert.equal(api.headers.get('content-type'), 'application/problem+json')
    assert.match(((await api.json()) as { detail: string }).detail, /limits\.ts/)
    const page = await fetch(`${url}/notes`, { headers: { accept: 'text/html' } })
    assert.equal(page.status, 503)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const html = await page.text()
    assert.match(html, /<meta http-equiv="refresh" content="1">/)
    assert.match(html, /<pre>service\.ts cannot be loaded: [^<]*limits\.ts/)
    write('limits.ts', 'export const max = 100\n')
    await waitFor(new RegExp(`^Listening on ${url}$`))
    await waitFor(/^Resources +\/users/)
  })

  await t.test('the sample is written, and /mails shows mails on this machine', async () => {
    assert.deepEqual(await titles(url), ['seeded'])
    const ada = { email: 'ada@example.org', password: 'correct horse battery' }
    assert.equal((await post(`${url}/users`, ada)).status, 201)
    assert.equal((await post(`${url}/password-resets`, { login: ada.email })).status, 202)
    const mails = (await (await fetch(`${url}/mails`)).json()) as { to: string; text: string }[]
    assert.deepEqual(
      mails.map(({ to }) => to),
      [ada.email],
    )
    assert.ok(mails[0]?.text.includes(`${url}/password-resets/`))
  })

  await t.test('a reload fails no request and adds a column', async () => {
    const clients = new AbortController()
    const requests = Array.from({ length: 4 }, () => repeatRequests(`${url}/notes`, clients.signal))
    write('service.ts', definition('stars: integer().default(0)'))
    await waitFor(/^Reloaded service\.ts/)
    await waitFor(/^ {2}add column notes\.stars/)
    const made = await post(`${url}/notes`, { title: 'second', stars: 5 })
    assert.equal(made.status, 201)
    clients.abort()
    const outcomes = (await Promise.all(requests)).flat()
    assert.ok(outcomes.length > 4)
    assert.deepEqual([...new Set(outcomes)], ['200'])
  })

  await t.test('a fault of an imported file is shown, and its correction', async () => {
    write('limits.ts', 'export const max = "ten"\n')
    await waitFor(/The definition in service\.ts has faults/)
    assert.equal((await fetch(`${url}/notes`)).status, 503)
    write('limits.ts', 'export const max = 10\n')
    await waitFor(/^Reloaded service\.ts/)
    assert.equal((await post(`${url}/notes`, { title: 'more than ten characters' })).status, 422)
  })

  await t.test(
    'a column with data is kept and explained; a type that its data does not fit is refused',
    async () => {
      write('service.ts', definition(''))
      await waitFor(/^Reloaded service\.ts/)
      await waitFor(/loses +drop column notes\.stars/)
      await waitFor(/restwell migrate --apply --allow-loss/)
      assert.equal((await fetch(`${url}/notes`)).status, 200)
      write('service.ts', definition('stars: text({ min: 3 })'))
      await waitFor(
        /^The saved data does not fit the changed definition\. The database file:.* is as it was\.$/,
      )
      await waitFor(/^These changes lose data, or leave rows that do not fit:$/)
      await waitFor(/^ {2}change the type of notes\.stars from integer to text$/)
      await waitFor(/^ {4}2 rows have /)
      await waitFor(/^ {2}accept that: .* npx restwell migrate --apply --allow-loss$/)
      write('service.ts', definition('stars: integer().default(0), place: text()'))
      await waitFor(/^These changes are not possible:$/)
      await waitFor(/^ {2}add column notes\.place$/)
      await waitFor(/^ {2}make a new field optional, or give it a default$/)
      const refused = (await (await fetch(`${url}/notes`)).json()) as { status: number; detail: string }
      assert.equal(refused.status, 503)
      assert.match(refused.detail, /notes\.place/)
      write('service.ts', definition('stars: integer().default(0)'))
      await waitFor(/^Reloaded service\.ts/)
      assert.deepEqual(await titles(url), ['seeded', 'second'])
    },
  )

  await t.test('a process that ends is reported, and a change starts it again', async () => {
    const ending = "setInterval(() => existsSync('end') && process.exit(7), 50)"
    write('limits.ts', `import { existsSync } from 'node:fs'\nexport const max = 20\n${ending}\n`)
    await waitFor(/^Reloaded service\.ts/)
    write('end', '')
    await waitFor(/The process ended with exit code 7/)
    assert.equal((await fetch(`${url}/notes`)).status, 503)
    unlinkSync(join(folder, 'end'))
    write('limits.ts', 'export const max = 30\n')
    await waitFor(/^Reloaded service\.ts/)
    assert.equal((await fetch(`${url}/notes`)).status, 200)
  })

  await t.test('errors of types are printed beside the service, and that they are gone', async () => {
    write('limits.ts', "const wrong: number = 'x' as string\nexport const max = wrong === 1 ? 1 : 30\n")
    await waitFor(/^ {2}limits\.ts\(1,7\): error TS2322: /)
    assert.equal((await fetch(`${url}/notes`)).status, 200)
    write('limits.ts', 'export const max = 30\n')
    await waitFor(/^Types: no errors any more\.$/)
  })

  await t.test('SIGTERM stops all processes', async () => {
    assert.deepEqual(await service.stop(), [0, null])
    await assert.rejects(fetch(url))
  })
})

/**
 * Sends one request after the other; the status of each response, with the content of a refusal. Rejects where a
 * connection is dropped. On a busy machine the service may be overloaded, which is no fault here.
 */
async function repeatRequests(url: string, signal: AbortSignal): Promise<readonly string[]> {
  const outcomes: string[] = []
  while (!signal.aborted) {
    const request = get(url)
    const [response] = await once(request, 'response')
    const content = await text(response)
    if (content.includes('The service is overloaded.')) continue
    outcomes.push(response.statusCode === 200 ? '200' : `${response.statusCode} ${content}`)
  }
  return outcomes
}

function post(url: string, value: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(value) })
}

async function titles(url: string): Promise<readonly string[]> {
  const notes = (await (await fetch(`${url}/notes`)).json()) as { title: string }[]
  return notes.map(({ title }) => title)
}
