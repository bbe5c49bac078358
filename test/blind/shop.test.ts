/** The blind client on the demo: all that its credentials permit, and nothing else. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import shop from '../../examples/shop.ts'
import { cases, someOf } from '../cases.ts'
import { adminLogin, adminPassword, serve, type TestService } from '../service.ts'
import { BlindClient, type Credentials, credentialsOf, expand, hrefsOf } from './client.ts'
import { type Caller, permittedTo, tablesOf } from './oracle.ts'
import { compare, randomFrom, walk } from './walk.ts'

const seed = Number(process.env.SEED ?? 20261115)

describe(`the blind client on the demo (docs/reference/http/hypermedia.md, Hypermedia; seed ${seed})`, () => {
  let s: TestService
  const random = randomFrom(seed)
  const callers = new Map<string, { credentials?: Credentials; caller: Caller }>()

  before(async () => {
    s = await serve(shop)
    callers.set('anonymous', { caller: { identity: undefined, roles: [] } })
    const credentials = { login: adminLogin, password: adminPassword }
    const identity = await identityOf(credentials)
    callers.set('admin', { credentials, caller: { identity, roles: ['admin'] } })
  })
  after(() => s[Symbol.asyncDispose]())

  function clientOf(name: string): BlindClient {
    return new BlindClient(s.request, random, callers.get(name)?.credentials)
  }

  /** Its own account is where the entry point says it is. */
  async function identityOf(credentials: Credentials): Promise<string> {
    const { pages } = await new BlindClient(s.request, random, credentials).explore()
    const [account = ''] = hrefsOf(pages.get('/') ?? {}, 'rw:account')
    return account.split('/').at(-1) as string
  }

  async function signUp(name: string, roles: readonly string[]): Promise<void> {
    const anonymous = clientOf('anonymous')
    const { offers } = await anonymous.explore()
    const offer = offers.find((one) => one.name === 'sign-up')
    assert.ok(offer, 'the entry point offers to sign up')
    const taken = await anonymous.take(offer)
    assert.equal(taken?.reply.status, 201)
    const credentials = credentialsOf(offer, taken?.sent ?? {})
    callers.set(name, { credentials, caller: { identity: await identityOf(credentials), roles } })
  }

  test('it signs up and signs in, and finds its own account', async () => {
    await signUp('member', ['member'])
    await signUp('editor', ['editor'])
    assert.match(callers.get('member')?.caller.identity ?? '', /^[0-9a-f-]{36}$/)
  })

  test('an admin makes an editor of an account, by the form that offers it', async () => {
    const admin = clientOf('admin')
    const { offers } = await admin.explore()
    const at = `/users/${callers.get('editor')?.caller.identity}`
    const offer = offers.find((one) => one.at === at && one.name === 'default')
    const role = offer?.template.properties.find((one) => one.options?.inline?.includes('editor'))
    assert.ok(offer && role, 'the form has a property with the role among its options')
    const kept = Object.fromEntries(
      offer.template.properties.flatMap(({ name, value }) => (value ? [[name, value]] : [])),
    )
    const wish = { ...kept, [role.name]: 'editor' }
    const taken = await admin.take({ ...offer, template: { ...offer.template, properties: [] } }, wish)
    assert.equal(taken?.reply.status, 200)
  })

  for (const name of someOf(['member', 'editor', 'admin', 'anonymous'], 2)) {
    test(`${name}: nothing offered is refused, on a walk through all that is offered`, async () => {
      const result = await walk(clientOf(name), { steps: cases(400, 20), random, spare: isAccount })
      assert.deepEqual(result.refused, [])
      assert.deepEqual(result.broken, [])
    })
  }

  for (const name of ['anonymous', 'member', 'editor', 'admin']) {
    test(`${name}: everything permitted is offered, and nothing else`, async () => {
      const { caller } = callers.get(name) ?? assert.fail()
      const { model, store } = s.service
      const permitted = permittedTo(caller, model, await tablesOf(model, store))
      compare(await clientOf(name).explore(), permitted)
    })
  }

  test('it visits every state of the demo, by taking what each state offers', async () => {
    const seen = new Set<string>()
    const editor = clientOf('editor')
    const create = (await editor.explore()).offers.find(({ at }) => at === '/articles')
    assert.ok(create, 'the collection offers to create')
    await editor.take(create)
    for (;;) {
      const { pages, offers } = await editor.explore()
      for (const page of pages.values()) if ('slug' in page) seen.add(String(Object(page).status))
      const transition = offers.find(({ template }) => template.method === 'PATCH')
      if (!transition) break
      assert.equal((await editor.take(transition))?.reply.status, 200)
    }
    assert.deepEqual([...seen].sort(), ['archived', 'draft', 'published'])
  })

  test('it pages through a collection by its search template and next, each item once', async () => {
    const admin = clientOf('admin')
    const { pages } = await admin.explore()
    const [search = ''] = hrefsOf(pages.get('/users') ?? {}, 'search')
    const found: string[] = []
    for await (const document of admin.pagesFrom(expand(search, { limit: '2' }))) {
      const items = document._embedded?.item ?? []
      assert.ok(items.length <= 2)
      found.push(...items.flatMap((item) => hrefsOf(item, 'self')))
    }
    const { model, store } = s.service
    const rows = (await tablesOf(model, store)).get(model.resources.get('users') as never) ?? []
    assert.deepEqual(found.toSorted(), rows.map((row) => `/users/${row[0]}`).toSorted())
  })

  test('it filters by what the search template names, and gets just what is equal', async () => {
    const admin = clientOf('admin')
    const { pages } = await admin.explore()
    const [search = ''] = hrefsOf(pages.get('/articles') ?? {}, 'search')
    const own = /\{\?([^}]*)\}/.exec(search)?.[1]?.split(',') ?? []
    const items = (pages.get('/articles')?._embedded?.item ?? []) as Record<string, unknown>[]
    assert.ok(items.length > 0)
    for (const name of own.filter((one) => typeof items[0]?.[one] === 'string')) {
      const wanted = String(items[0]?.[name])
      const found: Record<string, unknown>[] = []
      for await (const page of admin.pagesFrom(expand(search, { [name]: wanted }))) {
        found.push(...((page._embedded?.item ?? []) as Record<string, unknown>[]))
      }
      const equal = items.filter((item) => item[name] === wanted)
      assert.deepEqual(
        found.map(({ id }) => id),
        equal.map(({ id }) => id),
        name,
      )
    }
    assert.ok(['slug', 'status', 'author', 'q', 'sort'].every((name) => own.includes(name)))
  })

  /** Who deletes the account it walks with cannot go on. */
  function isAccount(uri: string): boolean {
    return [...callers.values()].some(({ caller }) => uri === `/users/${caller.identity}`)
  }
})
