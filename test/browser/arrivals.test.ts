/** People who arrive in a real browser: from a provider, by a link of another site, and by the link in a mail. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, email, env, oidc, password, resource, self, service, text } from '../../src/index.ts'
import { accounts, people } from '../features/mail/fixtures/people.ts'
import { clientId, variables } from '../features/providers/fake-provider.ts'
import { startRealProvider } from '../features/providers/real-provider.ts'
import { admin, serve } from '../service.ts'
import { accountButton, visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser()

const members = resource(
  { email: email().unique(), name: text({ max: 100 }), password: password({ min: 8 }) },
  { access: { read: anyone, create: anyone, update: self }, title: 'name' },
)

test('a person signs in with a provider, stays signed in by a link of another site, and sees the provider', {
  skip,
}, async () => {
  await using provider = await startRealProvider()
  const { issuer } = provider
  const id = oidc({ name: 'id', issuer, clientId, clientSecret: env('ID_SECRET'), provision: true })
  const definition = service({
    title: 'Club',
    accounts: { resource: 'members', login: 'email', password: 'password' },
    signIn: { providers: [id] },
    resources: { members },
  })
  await using s = await serve(definition, { variables })
  // The provider is at an IP address: another site than localhost.
  const origin = `http://localhost:${s.port}`
  provider.register(`${origin}/sign-in/id/callback`)
  provider.signIn('ada')
  const { context, page, complaints } = await visitor(origin, { script: false })
  await page.goto('/sign-in?next=%2Ftokens')
  await page.getByRole('link', { name: 'Sign in with ID' }).click()
  await page.waitForURL('**/tokens')
  await accountButton(page).waitFor()
  // Browsers do not send the Strict cookie with this link.
  const link = `<!doctype html><title>Other</title><a href="${origin}/tokens?limit=5">Tokens</a>`
  await page.route('http://other.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: link }),
  )
  await page.goto('http://other.example/')
  await page.getByRole('link', { name: 'Tokens' }).click()
  await page.waitForURL('**/tokens?limit=5')
  await accountButton(page).waitFor()
  const [own] = (await s.request('GET /members?email=ada@example.org')).json
  await page.goto(`/members/${own.id}/credentials`)
  assert.match(await page.locator('main tbody tr').first().innerText(), /Provider/)
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a person signs up by mail: the link on /mails and the chosen password make the account', {
  skip,
}, async () => {
  const definition = service({
    title: 'People',
    accounts: { ...accounts, signUp: 'by-mail' },
    mail: { from: 'service@example.org' },
    resources: { people },
  })
  await using s = await serve(definition, { mail: 'page' })
  const { context, page, complaints } = await visitor(`http://localhost:${s.port}`, { script: false })
  await page.goto('/forms/people')
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password').fill('a chosen password')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/verifications?sent=true')
  await page.goto('/mails')
  await page.getByRole('link', { name: /\/verifications\// }).click()
  await page.getByLabel('Password').fill('a chosen password')
  await page.getByRole('button', { name: 'Confirm the address' }).click()
  await page.waitForURL('**/sign-in')
  await page.locator('#login').fill('ada@example.org')
  await page.locator('#password').fill('a chosen password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await accountButton(page).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

for (const { locale, words } of [
  { locale: 'en-GB', words: { link: 'Get a link by mail', send: 'Send the link', button: 'Sign in' } },
  { locale: 'de-DE', words: { link: 'Link per E-Mail erhalten', send: 'Link senden', button: 'Anmelden' } },
]) {
  test(`a person signs in by the link in a mail that a page of another site shows (${locale})`, {
    skip,
  }, async () => {
    const signIn = { links: true }
    const mail = { from: 'service@example.org' }
    await using s = await serve(service({ title: 'People', accounts, mail, signIn, resources: { people } }), {
      mail: 'page',
    })
    const created = await s.request('POST /people', admin, {
      email: 'ada@example.org',
      password: 'a password that nobody needs',
    })
    assert.equal(created.status, 201)
    const origin = `http://localhost:${s.port}`
    const { context, page, complaints } = await visitor(origin, { script: false, locale })
    await page.goto('/sign-in?next=/people')
    await page.getByRole('link', { name: words.link }).click()
    await page.locator('#login').fill('ada@example.org')
    await page.getByRole('button', { name: words.send }).click()
    await page.waitForURL('**/sign-in-links?sent=true')
    const [{ text: received }] = (await s.request('GET /mails', { host: 'localhost' })).json
    const link = /http:\S+/.exec(received)?.[0]?.replace(/^http:\/\/[^/]+/, origin) ?? ''
    // Another browser cannot use it.
    const other = await visitor(origin, { script: false, locale })
    await other.page.goto(link)
    await other.page.waitForURL('**/sign-in-links?elsewhere=true')
    await other.context.close()
    const webmail = `<!doctype html><title>Mails</title><a href="${link}">The link</a>`
    await page.route('http://mails.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: webmail }),
    )
    await page.goto('http://mails.example/')
    await page.getByRole('link', { name: 'The link' }).click()
    await page.locator('#password').fill('a password that nobody needs')
    await page.locator('main').getByRole('button', { name: words.button }).click()
    await page.waitForURL('**/people')
    await accountButton(page).waitFor()
    assert.deepEqual(complaints, [])
    await context.close()
  })
}
