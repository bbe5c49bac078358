/** The pages of forms at /forms: creating, editing, the redirect after it, and the notice on the next page. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  nobody,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  state,
  text,
} from '../../src/index.ts'
import { admin, serve, type TestService } from '../service.ts'
import { formOf } from './submitted-form.ts'

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const formed = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
const all = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Library',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password({ min: 8 }),
        role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
      },
      { access: { read: role('admin'), create: anyone, delete: role('admin') } },
    ),
    people: resource({ name: text({ min: 1 }) }, { access: all }),
    books: resource(
      {
        slug: text().unique(),
        title: text({ min: 1 }),
        by: ref('people', { inverse: 'books' }).optional(),
        phase: state({ initial: 'draft', transitions: { publish: { from: 'draft', to: 'published' } } }),
      },
      { key: 'slug', access: all },
    ),
    reviews: resource({ of: ref('people') }, { access: { ...all, read: signedIn } }),
    closed: resource({ name: text() }, { access: { read: anyone, create: nobody, update: signedIn } }),
  },
})

async function made(s: TestService, collection: string, body: unknown): Promise<string> {
  const { status, fields, text } = await s.request(`POST ${collection}`, admin, body)
  assert.equal(status, 201, text)
  return String(fields.location)
}

function page(s: TestService, uri: string, fields = {}) {
  return s.request(`GET ${uri}`, { ...browser, ...fields })
}

/** The cookie that the response sets, as the browser sends it back. */
function cookieOf(fields: Readonly<Record<string, unknown>>): string {
  const [pair = ''] = String(fields['set-cookie']).split(';')
  return pair
}

describe('/forms/{collection}', () => {
  test('is the page with the form that creates an item; its POST answers 303 to the item', async () => {
    await using s = await serve(definition)
    const shown = await page(s, '/forms/people')
    assert.equal(shown.status, 200)
    assert.match(shown.text, /<h1>New person<\/h1>/)
    const form = formOf(shown.text, /^\/forms\/people$/).set('name', 'Ada')
    const sent = await s.request(`POST ${form.action}`, formed, form.content)
    assert.equal(sent.status, 303, sent.text)
    assert.match(String(sent.fields.location), /^\/people\/[0-9a-f-]{36}$/)
    assert.equal((await page(s, String(sent.fields.location))).status, 200)
    const repeated = await s.request(`POST ${form.action}`, formed, form.content)
    assert.equal(repeated.fields.location, sent.fields.location, 'a form that is sent twice counts once')
  })

  test('a form POST to the collection itself stays 201', async () => {
    await using s = await serve(definition)
    const sent = await s.request('POST /people', formed, 'name=Ada')
    assert.equal(sent.status, 201)
    assert.match(sent.text, /role="status"[^>]*>Created\.</)
  })

  test('a refused form is its own page with 422, and is sent to the same URI again', async () => {
    await using s = await serve(definition)
    const refused = await s.request('POST /forms/people', formed, 'name=')
    assert.equal(refused.status, 422)
    const again = formOf(refused.text, /^\/forms\/people$/).set('name', 'Ada')
    assert.equal((await s.request(`POST ${again.action}`, formed, again.content)).status, 303)
  })

  test('in a sub-collection it creates an item that refers to its parent', async () => {
    await using s = await serve(definition)
    const person = await made(s, '/people', { name: 'Ada' })
    const shown = await page(s, `/forms${person}/books`)
    const form = formOf(shown.text, /^\/forms\/people\/.*\/books$/)
      .set('slug', 'one')
      .set('title', 'One')
    const sent = await s.request(`POST ${form.action}`, formed, form.content)
    assert.equal(sent.fields.location, '/books/one', sent.text)
    assert.equal((await s.request('GET /books/one')).json.by, person.split('/')[2])
  })

  test('is 401 to the anonymous and 403 to others who may create nothing, and 404 for no collection', async () => {
    await using s = await serve(definition)
    assert.equal((await page(s, '/forms/closed')).status, 401)
    assert.equal((await page(s, '/forms/closed', admin)).status, 403)
    assert.equal((await page(s, '/forms/nothing')).status, 404)
    assert.equal((await s.request('GET /forms/people', { accept: 'application/json' })).status, 406)
    const { fields } = await s.request('OPTIONS /forms/people')
    assert.equal(fields.allow, 'GET, HEAD, POST, OPTIONS')
  })

  test('with a query it stays the filter form', async () => {
    await using s = await serve(definition)
    const { status, fields } = await page(s, '/forms/people?name=')
    assert.deepEqual([status, fields.location], [303, '/people'])
  })

  test('a new account is followed by signing in', async () => {
    await using s = await serve(definition)
    const sent = await s.request('POST /forms/users', formed, 'email=a%40b.c&password=long%20enough')
    assert.deepEqual([sent.status, sent.fields.location], [303, '/sign-in'])
    const next = await page(s, '/sign-in', { cookie: cookieOf(sent.fields) })
    assert.match(next.text, /Your account is ready\. Sign in\./)
  })

  test('tokens keep their page: the secret is shown by the response', async () => {
    await using s = await serve(definition)
    const sent = await s.request('POST /forms/tokens', { ...formed, ...admin }, 'name=mine')
    assert.equal(sent.status, 201, sent.text)
    assert.match(sent.text, /rw_/)
  })
})

describe('/forms/{collection}/{id}', () => {
  test('is the page with the form that edits the item; its POST answers 303 to the item', async () => {
    await using s = await serve(definition)
    const person = await made(s, '/people', { name: 'Ada' })
    assert.match((await page(s, person)).text, new RegExp(`id="edit" href="/forms${person}"`))
    const shown = await page(s, `/forms${person}`)
    assert.equal(shown.status, 200)
    const form = formOf(shown.text, /method=PATCH/).set('name', 'Ada L.')
    const sent = await s.request(`POST ${form.action}`, formed, form.content)
    assert.deepEqual([sent.status, sent.fields.location], [303, person])
    assert.equal((await s.request(`GET ${person}`)).json.name, 'Ada L.')
  })

  test('no key can take its path, and a key that changed leads to its present form', async () => {
    await using s = await serve(definition)
    for (const slug of ['new', 'edit', 'forms']) {
      const uri = await made(s, '/books', { slug, title: slug })
      assert.match((await page(s, `/forms${uri}`)).text, new RegExp(`<h1>Edit ${slug}</h1>`))
    }
    await s.request('PATCH /books/new', {}, { slug: 'newer' })
    const moved = await page(s, '/forms/books/new')
    assert.deepEqual([moved.status, moved.fields.location], [301, '/forms/books/newer'])
  })

  test('is 404 for no item, 401 to the anonymous who may read and not edit it', async () => {
    await using s = await serve(definition)
    const uri = await made(s, '/people', { name: 'Ada' })
    assert.equal((await page(s, `/forms${uri}x`)).status, 404)
    assert.equal((await page(s, `/forms${uri}/nothing`)).status, 404)
    const review = await made(s, '/reviews', { of: uri.split('/')[2] })
    assert.equal((await page(s, `/forms${review}`)).status, 401)
    assert.equal((await page(s, `/forms${review}`, admin)).status, 200)
  })
})

describe('a notice', () => {
  test('is on the page after a form and on no other, and is stored by no cache', async () => {
    await using s = await serve(definition)
    const uri = await made(s, '/books', { slug: 'one', title: 'One' })
    const send = async (target: string, wanted: RegExp) => {
      const form = formOf((await page(s, target)).text, wanted)
      const sent = await s.request(`POST ${form.action}`, formed, form.content)
      assert.equal(sent.status, 303, sent.text)
      return { location: String(sent.fields.location), cookie: cookieOf(sent.fields) }
    }
    const shows = async ({ location, cookie }: { location: string; cookie: string }, notice: RegExp) => {
      const plain = await page(s, location)
      assert.doesNotMatch(plain.text, notice)
      const shown = await page(s, location, { cookie })
      assert.match(shown.text, notice)
      assert.equal(shown.fields['cache-control'], 'no-store')
      assert.match(String(shown.fields['set-cookie']), /^restwell-notice=; Path=\/; Max-Age=0;/)
      assert.doesNotMatch((await page(s, location)).text, notice)
    }
    await shows(await send(`/forms${uri}`, /method=PATCH/), /role="status"[^>]*>Saved\./)
    await shows(await send(uri, /method=PATCH/), /role="status"[^>]*>“Publish” is done\./)
    await shows(await send(uri, /method=DELETE/), /role="status"[^>]*>Deleted\./)
  })

  test('has only the words of the service, whatever the cookie says', async () => {
    await using s = await serve(definition)
    const uri = await made(s, '/books', { slug: 'one', title: 'One' })
    for (const value of ['done.Call 555', 'done.archive', 'Hacked', 'saved!', '', 'done.', '<b>']) {
      const { text: shown, fields } = await page(s, uri, { cookie: `restwell-notice=${value}` })
      assert.doesNotMatch(shown, /role="status"/, value)
      assert.equal(fields['set-cookie'], undefined)
    }
    const asData = await s.request(`GET ${uri}`, { cookie: 'restwell-notice=saved' })
    assert.equal(asData.fields['set-cookie'], undefined)
  })
})

describe('a deletion', () => {
  test('that others prevent is shown disabled, with the number of those that the caller may see', async () => {
    await using s = await serve(definition)
    const uri = await made(s, '/people', { name: 'Ada' })
    const id = uri.split('/')[2]
    assert.match((await page(s, uri)).text, /Delete this person\?/)
    await made(s, '/reviews', { of: id })
    const hidden = await page(s, uri)
    assert.match(hidden.text, /<button class="danger" disabled[^>]*>Delete<\/button>/)
    assert.match(hidden.text, /Other items refer to it\./)
    assert.match((await page(s, uri, admin)).text, /Used by 1 review\./)
    for (const slug of ['a', 'b', 'c']) await made(s, '/books', { slug, title: slug, by: id })
    assert.match((await page(s, uri)).text, /Used by 3 books\./)
    assert.match((await page(s, uri, admin)).text, /Used by 3 books and 1 review\./)
    assert.doesNotMatch((await page(s, uri)).text, /method=DELETE/)
  })

  test('of the last administrator says why it is not possible', async () => {
    await using s = await serve(definition)
    const [{ id }] = (await s.request('GET /users', admin)).json
    assert.match((await page(s, `/users/${id}`, admin)).text, /This is the last administrator\./)
  })
})
