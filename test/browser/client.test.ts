import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../examples/shop.ts'
import { email, password, resource, self, service, signedIn, text } from '../../src/index.ts'
import { admin, adminLogin, adminPassword, serve } from '../service.ts'
import { openBrowser, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false

test('a page imports /client.js unchanged, and creates, lists, changes and removes items', {
  skip,
}, async () => {
  await using demo = await serve(shop)
  const page = await (await openBrowser()).newPage()
  try {
    // Any document works: the page must have the origin of the service.
    await page.goto(`${demo.url}/health/live`)
    const result = await page.evaluate(inPage, [demo.url, admin.authorization] as const)
    assert.deepEqual(result, {
      made: 'TEA',
      listed: ['CUP', 'TEA'],
      changed: 3,
      refused: [404, '/problems/not-found'],
      lost: [412, 9],
    })
  } finally {
    await page.close()
  }
})

const diary = service({
  title: 'Diary',
  base: '/api',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource({ email: email().unique(), password: password() }, { access: { read: self } }),
    pages: resource({ text: text() }, { access: { read: signedIn } }),
  },
})

test('signed out, the client of the own origin is refused with 401 instead of a password dialog', {
  skip,
}, async () => {
  await using demo = await serve(diary)
  const page = await (await openBrowser()).newPage()
  try {
    await page.goto(`${demo.url}/api/health/live`)
    assert.deepEqual(await page.evaluate(signedOut), [401, '/api/problems/unauthenticated'])
  } finally {
    await page.close()
  }
})

/** Runs in the browser. The path of the service is relative to the page. */
async function signedOut() {
  // @ts-expect-error a URI of the service, which only the browser knows
  const { client } = await import('/api/client.js')
  const refused = await client('/api')
    .pages.list()
    .catch((error: unknown) => error)
  return [refused.status, refused.type]
}

test('a page of the own origin learns who is signed in, and signs out', { skip }, async () => {
  await using demo = await serve(diary)
  const context = await (await openBrowser()).newContext()
  try {
    const page = await context.newPage()
    await page.goto(`${demo.url}/api/sign-in`)
    await page.fill('input[name=login]', adminLogin)
    await page.fill('input[name=password]', adminPassword)
    await page.click('main button')
    await page.goto(`${demo.url}/api/health/live`)
    const [before, after] = await page.evaluate(sessionBeforeAndAfter)
    assert.match(before?.account ?? '', /^\/api\/users\/[0-9a-f-]{36}$/)
    assert.equal(before?.account, `/api/users/${before?.id}`)
    assert.equal(after, undefined)
  } finally {
    await context.close()
  }
})

/** Runs in the browser. */
async function sessionBeforeAndAfter() {
  // @ts-expect-error a URI of the service, which only the browser knows
  const { client } = await import('/api/client.js')
  const me = await client('/api').session()
  await me.signOut()
  return [me && { account: me.account as string, id: me.id as string }, await client('/api').session()]
}

/** Runs in the browser, with nothing of this file except its argument. */
async function inPage([url, authorization]: readonly [string, string]) {
  // @ts-expect-error a URI of the service, which only the browser knows
  const { client } = await import('/client.js')
  const { products } = client(undefined, { authorization })
  const other = client(url, { authorization }).products
  const { id } = await products.create({ sku: 'TEA', name: 'Tea', price: '4.50' })
  await products.create({ sku: 'CUP', name: 'Cup', price: '7.00' })
  const listed: string[] = []
  for await (const { sku } of products.all({ limit: 1 })) listed.push(sku)
  const { stock } = await products.patch('TEA', { stock: 3 })
  await other.patch('TEA', { stock: 9 })
  const lost = await products.patch('TEA', { stock: 4 }).catch((error: unknown) => error)
  await products.remove('CUP')
  const refused = await products.get('CUP').catch((error: unknown) => error)
  return {
    made: id,
    listed,
    changed: stock,
    refused: [refused.status, refused.type],
    lost: [lost.status, lost.current.stock],
  }
}
