/** Passkeys in a real browser, with Chromium's virtual authenticator. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../src/index.ts'
import { accounts, people } from '../features/mail/fixtures/people.ts'
import { adminLogin, adminPassword, serve, type TestService } from '../service.ts'
import { accountButton, signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'

const definition = service({ title: 'People', accounts, resources: { people } })

/** A browser whose authenticator has a passkey of the admin, who is signed in. */
async function registered(s: TestService, script = '') {
  // Passkeys need a host name.
  const { context, page, complaints } = await visitor(`http://localhost:${s.port}`)
  await context.addInitScript(script)
  const devices = await context.newCDPSession(page)
  await devices.send('WebAuthn.enable')
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await signInAsAdmin(page)
  const { json } = await s.request('GET /people', { authorization: basicAdmin() })
  await page.goto(`/people/${json[0].id}/credentials`)
  await page.locator('#new > summary').click()
  await page.locator('#new-kind').selectOption('passkey')
  await page.locator('input[name="currentPassword"]').fill(adminPassword)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Use this device or a security key' }).click()
  await page.getByText('Recovery codes', { exact: true }).waitFor()
  return { context, page, complaints, devices, authenticatorId }
}

test('a person registers a passkey, signs in with it, and uses it after the password', {
  skip: whyNoBrowser(),
}, async () => {
  await using s = await serve(definition)
  const { context, page, complaints } = await registered(s)
  // Without the password.
  await context.clearCookies()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await accountButton(page).waitFor()
  // After the password.
  await context.clearCookies()
  await page.goto('/sign-in')
  await page.locator('#login').fill(adminLogin)
  await page.locator('#password').fill(adminPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('#code').waitFor()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await accountButton(page).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a passkey of a password manager is used whose objects the toJSON() of the browser refuses', {
  skip: whyNoBrowser(),
}, async () => {
  await using s = await serve(definition)
  const illegal = `PublicKeyCredential.prototype.toJSON = () => { throw new TypeError('Illegal invocation') }`
  const { context, page, complaints } = await registered(s, illegal)
  await context.clearCookies()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await accountButton(page).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a passkey with a smaller counter, of another origin or for another host is refused', {
  skip: whyNoBrowser(),
}, async () => {
  await using s = await serve(definition)
  const { context, page, devices, authenticatorId } = await registered(s)
  await using other = await serve(definition)
  /** The status of a sign-in at the service with what the authenticator signs on a page of this origin. */
  const attempt = async (origin: string): Promise<number> => {
    const site = { host: `localhost:${s.port}`, 'sec-fetch-site': 'same-origin' }
    const { json } = await s.request('GET /sign-in/passkey', site)
    await page.goto(`${origin}/sign-in`)
    const options = JSON.stringify({ ...json, rpId: new URL(origin).hostname })
    const response = await page.evaluate<string>(`(async () => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${options})
      return JSON.stringify(await navigator.credentials.get({ publicKey }))
    })()`)
    const form = { ...site, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ response }).toString()
    return (await s.request('POST /sign-in/passkey', form, body)).status
  }
  const right = `http://localhost:${s.port}`
  await context.clearCookies()
  assert.equal(await attempt(right), 303)
  assert.equal(await attempt(`http://localhost:${other.port}`), 401)
  const { credentials } = await devices.send('WebAuthn.getCredentials', { authenticatorId })
  const [known] = credentials
  assert.ok(known)
  const { credentialId } = known
  await devices.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
  const replace = (change: Partial<typeof known>) =>
    devices.send('WebAuthn.addCredential', { authenticatorId, credential: { ...known, ...change } })
  await replace({ rpId: 'app.localhost' })
  assert.equal(await attempt(`http://app.localhost:${s.port}`), 401)
  await devices.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
  await replace({ signCount: 0 })
  assert.equal(await attempt(right), 401)
  await devices.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
  await replace({ signCount: 100 })
  assert.equal(await attempt(right), 303)
  await context.close()
})

function basicAdmin(): string {
  return `Basic ${Buffer.from(`${adminLogin}:${adminPassword}`).toString('base64')}`
}
