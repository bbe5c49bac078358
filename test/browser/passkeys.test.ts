/** Passkeys in a real browser, with Chromium's virtual authenticator. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../src/index.ts'
import { accounts, people } from '../mail/fixtures/people.ts'
import { adminLogin, adminPassword, serve } from '../service.ts'
import { accountButton, signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'

const definition = service({ title: 'People', accounts, resources: { people } })

test('a person registers a passkey, signs in with it, and uses it after the password', {
  skip: whyNoBrowser(),
}, async () => {
  await using s = await serve(definition)
  // Passkeys need a host name.
  const { context, page, complaints } = await visitor(`http://localhost:${s.port}`)
  const devices = await context.newCDPSession(page)
  await devices.send('WebAuthn.enable')
  await devices.send('WebAuthn.addVirtualAuthenticator', {
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

function basicAdmin(): string {
  return `Basic ${Buffer.from(`${adminLogin}:${adminPassword}`).toString('base64')}`
}
