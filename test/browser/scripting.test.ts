/** Hostile texts in every kind of field, in URIs and in errors: shown as text, and nothing runs. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { anyone, choice, email, json, list, ref, resource, service, text } from '../../src/index.ts'
import { someOf } from '../cases.ts'
import { serve, type TestService } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'
import { payloads } from './payloads.ts'

const skip = whyNoBrowser() ?? false
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const people = resource({ name: text({ max: 500 }) }, { access })
const notes = resource(
  {
    title: text({ max: 500 }),
    long: text({ max: 100_000 }),
    choice: choice(['plain', ...payloads.slice(0, 3)]),
    words: list(text({ max: 500 })),
    data: json(),
    about: ref('people'),
    mail: email().optional(),
  },
  { access, search: ['title'] },
)
const definition = service({
  title: `Notes ${payloads[1]}`,
  resources: { people, notes },
})

test('forty payloads in every kind of field are text on every page', { skip }, async () => {
  assert.equal(payloads.length, 40)
  await using site = await serve(definition)
  const items = await fill(site)
  const { page, complaints, context } = await visitor(site.url)
  await page.goto('/notes')
  const shown = await page.locator('tbody').innerText()
  for (const payload of payloads) {
    assert.ok(shown.includes(inOneLine(payload).slice(0, 40)), `the table shows ${payload}`)
  }
  await page.goto('/people')
  for (const [at, uri] of someOf([...items.entries()], 5))
    await showsAsText(page, uri, payloads[at] as string)
  assert.deepEqual(complaints, [])
  await context.close()
})

test('payloads in URIs and their error messages are text', { skip }, async () => {
  await using site = await serve(definition)
  const { page, complaints, context } = await visitor(site.url)
  for (const [at, payload] of someOf([...payloads.entries()], 5)) {
    const uris = hostileUris(encodeURIComponent(payload))
    for (const uri of uris) {
      const { text } = await site.request(`GET ${uri}`, { accept: 'text/html' })
      assert.ok(!/[<"']/.test(payload) || !text.includes(payload), `${uri} has ${payload} as it is`)
    }
    await page.goto(String(uris[at % uris.length]))
    assert.equal(await page.locator('main').count(), 1)
  }
  assert.deepEqual(complaints, [])
  await context.close()
})

test('payloads in refused forms are text, and stay what was entered', { skip }, async () => {
  await using site = await serve(definition)
  const { page, complaints, context } = await visitor(site.url)
  const chosen = someOf(payloads, 12)
  for (let at = 0; at < chosen.length; at += 4) {
    await refusedForm(page, chosen.slice(at, at + 4) as [string, string, string, string])
  }
  assert.deepEqual(complaints, [])
  await context.close()
})

function hostileUris(encoded: string): readonly string[] {
  return [
    `/${encoded}`,
    `/notes/${encoded}`,
    `/notes?q=${encoded}`,
    `/notes?${encoded}=1`,
    `/notes?sort=${encoded}`,
    `/notes?title%5Bcontains%5D=${encoded}`,
    `/problems/${encoded}`,
  ]
}

async function fill({ request }: TestService): Promise<readonly string[]> {
  const uris: string[] = []
  for (const [at, payload] of payloads.entries()) {
    const person = await request('POST /people', {}, { name: payload })
    const created = await request(
      'POST /notes',
      {},
      {
        title: payload,
        long: payload.repeat(20),
        choice: payloads[at % 3],
        words: [payload],
        data: { [payload]: payload },
        about: person.json.id,
      },
    )
    assert.equal(created.status, 201, created.text)
    uris.push(String(created.fields.location))
  }
  return uris
}

async function showsAsText(page: Page, uri: string, payload: string): Promise<void> {
  await page.goto(uri)
  assert.equal(inOneLine(await page.locator('h1').innerText()), inOneLine(payload))
  await page.locator('#edit').click()
  const value = await page.locator('#form-title').inputValue()
  assert.equal(value, payload)
}

/** Sent as a browser sends it, by a form of the page itself. */
async function refusedForm(
  page: Page,
  [title, long, data, person]: readonly [string, string, string, string],
): Promise<void> {
  await page.goto('/forms/notes')
  await page.locator('#form-title').fill(title)
  await page.locator('#form-long').fill(long)
  await page.locator('#form-data').fill(data)
  await addChosen(page.locator('#form-about'), person)
  await page.locator('#form-choice').selectOption('plain')
  const shows = async () => {
    await page.locator('.fault').first().waitFor()
    for (const [name, payload] of Object.entries({ title, long, data, about: person })) {
      assert.equal(await page.locator(`#form-${name}`).inputValue(), payload)
    }
  }
  // The script tries the form first, and shows the faults in place.
  await page.locator('main form button').click()
  await shows()
  // Without the event `submit` the script does not try it.
  const loaded = page.waitForEvent('load')
  await page.locator('main form').evaluate((form: { submit(): void }) => form.submit())
  await loaded
  await shows()
}

/** The value of a select that does not offer it. */
async function addChosen(select: Locator, value: string): Promise<void> {
  await select.evaluate((element: { innerHTML: string }) => {
    element.innerHTML = '<option selected></option>'
  })
  const attribute = (option: { setAttribute(name: string, value: string): void }, text: string) =>
    option.setAttribute('value', text)
  await select.locator('option').evaluate(attribute, value)
}

/** The text as the browser shows it: white space collapsed, invisible characters removed. */
function inOneLine(text: string): string {
  return text.replaceAll(/[\s\u2028\u2029]+/g, ' ').trim()
}
