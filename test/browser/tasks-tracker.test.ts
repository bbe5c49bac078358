/** Tasks of the people of a tracker and of a price list, by keyboard only, with and without script. */

import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import tracker from '../../examples/tracker/service.ts'
import { admin, adminLogin, adminPassword, basic, serve, type TestService } from '../service.ts'
import { whyNoBrowser } from './browser.ts'
import { activate, check, choose, reach, write } from './keyboard.ts'
import { openPriceList } from './price-list.ts'
import { type Task, testTask } from './tasks.ts'

const skip = whyNoBrowser() ?? false
const password = 'a password of twenty'
const mona = { login: 'mona@example.org', password }
const asMona = basic(mona.login, password)
const site = skip === false ? await openTracker() : undefined
const prices = skip === false ? await openPriceList() : undefined
after(async () => {
  await site?.[Symbol.asyncDispose]()
  await prices?.[Symbol.asyncDispose]()
})

/** Acme with a manager, a project, three labels, and two tasks with hours on two days. */
async function openTracker(): Promise<TestService> {
  const opened = await serve(tracker)
  const create = async (uri: string, body: unknown, fields = asMona) => {
    const created = await opened.request(`POST ${uri}`, fields, body)
    assert.equal(created.status, 201, created.text)
    return created.json
  }
  const user = await create('/users', { email: mona.login, password }, admin)
  await create('/users', { email: 'max@example.org', password }, admin)
  await create('/organisations', { slug: 'acme', name: 'Acme' }, admin)
  const membership = { name: 'Mona', organisation: 'acme', user: user.id, role: 'manager' }
  await create('/memberships', membership, admin)
  const project = await create('/projects', { name: 'Rocket', organisation: 'acme' })
  for (const name of ['design', 'engine', 'urgent']) await create('/labels', { name, organisation: 'acme' })
  const task = await create('/tasks', { title: 'Build the engine', project: project.id })
  await create('/entries', { day: '2026-11-02', hours: '3.50', task: task.id })
  await create('/entries', { day: '2026-11-03', hours: '2.00', task: task.id })
  const second = await create('/tasks', { title: 'Test the engine', project: project.id })
  await create('/entries', { day: '2026-11-02', hours: '1.25', task: second.id })
  return opened
}

function managerTask(title: string, run: Task): void {
  testTask(title, { service: () => site, login: mona }, run)
}

managerTask('a manager creates a task with three labels and a file', async (page, { request }) => {
  // The browser must know long before the key is pressed that the test takes the dialog.
  const dialog = page.waitForEvent('filechooser', { timeout: 0 })
  await page.goto('/projects')
  await activate(page, page.getByRole('link', { name: 'Rocket' }))
  await activate(page, page.getByText('New in tasks'))
  const form = page.locator('#below-tasks form')
  await write(page, form.getByLabel('Title'), 'Paint the hull')
  for (const label of ['design', 'engine', 'urgent'])
    await check(page, form.getByLabel(label, { exact: true }))
  await reach(page, form.locator('input[type="file"]'))
  await page.keyboard.press('Space')
  await (await dialog).setFiles({ name: 'hull.txt', mimeType: 'text/plain', buffer: Buffer.from('red') })
  await activate(page, form.getByRole('button', { name: 'Create' }))
  await page.getByRole('heading', { name: 'Paint the hull', level: 1 }).waitFor()
  const uri = new URL(page.url()).pathname
  const { json } = await request(`GET ${uri}`, asMona)
  assert.equal(json.labels.length, 3)
  assert.equal(json.attachments[0].name, 'hull.txt')
  await request(`DELETE ${uri}`, asMona)
})

testTask(
  'an admin adds a member to an organisation',
  { service: () => site, login: { login: adminLogin, password: adminPassword } },
  async (page, { request }) => {
    await page.goto('/organisations')
    await activate(page, page.getByRole('link', { name: 'Acme' }))
    await activate(page, page.getByText('New in memberships'))
    const form = page.locator('#below-memberships form')
    await write(page, form.getByLabel('Name'), 'Max')
    await choose(page, form.getByLabel('User'), 'max@example.org')
    await choose(page, form.getByLabel('Role'), 'Viewer')
    await activate(page, form.getByRole('button', { name: 'Create' }))
    await page.getByRole('heading', { name: 'Max', level: 1 }).waitFor()
    const uri = new URL(page.url()).pathname
    assert.equal((await request(`GET ${uri}`, admin)).json.role, 'viewer')
    await request(`DELETE ${uri}`, admin)
  },
)

managerTask('a manager reads the hours of a project by day', async (page) => {
  await page.goto('/projects')
  await activate(page, page.getByRole('link', { name: 'Rocket' }))
  await activate(page, page.getByRole('link', { name: 'Build the engine' }).first())
  await activate(page, page.getByRole('link', { name: 'Entries', exact: true }).last())
  assert.match(await hoursByDay(page), /2 Nov 2026[\s\S]*3\.50/)
})

managerTask('a manager reads the hours of all tasks of a project by day', async (page, { request }) => {
  const { json } = await request('GET /projects', asMona)
  await page.goto(`/entries?task.project=${json[0].id}`)
  assert.match(await hoursByDay(page), /2 Nov 2026[\s\S]*4\.75/)
})

/** The text of the table of hours by day, which the person asks for on a list of entries. */
async function hoursByDay(page: Page): Promise<string> {
  await activate(page, page.getByRole('button', { name: 'Summarise' }))
  await choose(page, page.getByLabel('Group by'), 'Day')
  await choose(page, page.getByLabel('Show'), 'Hours, sum')
  await activate(page, page.locator('#summarise-panel button.main'))
  const table = page.getByRole('region', { name: 'Groups' })
  await table.waitFor()
  return String(await table.textContent())
}

managerTask('a manager restores an older version of a task', async (page, { request }) => {
  const { json: projects } = await request('GET /projects', asMona)
  const created = await request('POST /tasks', asMona, { title: 'As it was', project: projects[0].id })
  const uri = String(created.fields.location)
  await request(`PATCH ${uri}`, asMona, { title: 'Spoiled' })
  await page.goto(uri)
  await activate(page, page.locator('#history tbody tr').nth(1).getByRole('link').first())
  await page.getByRole('heading', { name: 'Former version' }).waitFor()
  await activate(page, page.getByRole('button', { name: 'Restore' }))
  await page.getByRole('heading', { name: 'As it was', level: 1 }).waitFor()
  assert.equal((await request(`GET ${uri}`, asMona)).json.title, 'As it was')
  await request(`DELETE ${uri}`, asMona)
})

testTask(
  'an editor sees who changed a price',
  { service: () => prices, login: { login: 'ada@example.org', password } },
  async (page) => {
    await page.goto('/products')
    await activate(page, page.getByRole('link', { name: 'Green tea' }))
    const change = page.locator('#history tbody tr', { hasText: '5.50' })
    await reach(page, change.getByRole('link', { name: 'Grace' }))
    assert.match(await change.innerText(), /Grace[\s\S]*Price[\s\S]*4\.50[\s\S]*5\.50/)
  },
)
