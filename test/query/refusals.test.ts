/** Invalid list parameters are refused by name, with a suggestion (docs/reference/http/lists.md, "Lists"). */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import shop from '../../examples/shop.ts'
import { type Handled, type Handling, handling } from '../handling.ts'
import { admin, basic } from '../service.ts'
import library from './library.ts'

let books: Handling
let store: Handling

before(async () => {
  books = await handling(library)
  store = await handling(shop)
  const ada = { email: 'ada@example.org', name: 'Ada', password: 'analytical engine' }
  assert.equal((await store.handle('POST /users', {}, ada)).status, 201)
})

after(async () => {
  await books[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

describe('an invalid parameter is 400 and is named', () => {
  it('lists the known ones as a member, on items and documents too', async () => {
    const created = await books.handle('POST /people', {}, {})
    const known = async (target: string) => (await books.handle(`GET ${target}`)).json.known
    assert.ok((await known('/books?titel=x')).includes('title'))
    assert.ok((await known('/books?titel=x')).includes('q'))
    assert.deepEqual(await known(`/people/${created.json.id}?x=1`), ['fields', 'embed', 'format'])
    assert.deepEqual(await known('/problems?x=1'), ['format'])
    assert.equal(await known('/books?title.name=x'), undefined)
    const item = await books.handle(`GET /people/${created.json.id}?select=name`)
    assert.match(item.json.detail, /Use 'fields'/)
    const order = await books.handle(`GET /people/${created.json.id}?order=name`)
    assert.match(order.json.detail, /Expected: fields, embed, format\./)
  })

  it('the content of a QUERY with an unknown value of a choice is 422 with the values', async () => {
    const { status, json } = await books.handle('QUERY /books', {}, { genre: { in: ['a', 'x'] } })
    assert.equal(status, 422)
    assert.match(json.errors[0].detail, /must be one of 'a', 'b', 'c'/)
  })

  it('the content of a QUERY with a value of another type is 422 at its pointer', async () => {
    for (const pages of [1.5, '1', true, null]) {
      const { status, json } = await books.handle('QUERY /books', {}, { pages })
      assert.equal(status, 422, String(pages))
      assert.equal(json.errors[0].pointer, '/pages')
      assert.match(json.errors[0].detail, /must be an integer/i)
    }
    assert.equal((await books.handle('QUERY /books', {}, { pages: { lt: 1e300 } })).status, 200)
  })

  it('the pointer to an unknown operator is one, whatever its name (RFC 6901 §3)', async () => {
    const { status, json } = await books.handle('QUERY /books', {}, { pages: { '~/1': 1 } })
    assert.deepEqual([status, json.errors[0].pointer], [422, '/pages/~0~11'])
  })

  const unknown: readonly (readonly [string, RegExp])[] = [
    ['titel=x', /Unknown parameter 'titel'\. Did you mean 'title'\?/],
    ['limitt=1', /Did you mean 'limit'\?/],
    ['author.nam=x', /Unknown parameter 'author\.nam'\. Did you mean 'author\.name'\?/],
    ['autor.name=x', /Did you mean 'author\.name'\?/],
    ['title.name=x', /Unknown parameter 'title\.name'\.$/],
    ['xyzzy=1', /Unknown parameter 'xyzzy'\. Expected: id, title, .*, tags, .*, limit, after, /],
    ['author.xyzzy=1', /Expected: author\.id, author\.name, author\.shelf, /],
    ['page=2', /Unknown parameter 'page'\. Follow the link 'next', or send its 'after'/],
    ['offset=2', /Follow the link 'next'/],
    ['include=author', /Use 'embed', such as embed=author\./],
    ['order=title', /Use 'sort', such as sort=-createdAt\./],
    ['select=title', /Use 'fields', such as fields=/],
    ['title[contain]=x', /Unknown operator 'contain' for 'title'\. Did you mean 'contains'\?/],
    ['pages[contains]=1', /Unknown operator 'contains' for 'pages'\. Expected: eq, /],
    ['tags=x', /Unknown operator 'eq' for 'tags'\. Expected: has, missing\./],
    ['title[]=x', /Unknown operator ''/],
    ['title[eq=x', /Unknown parameter 'title\[eq'/],
    ['__proto__=x', /Unknown parameter '__proto__'/],
    ['constructor[eq]=x', /Unknown parameter 'constructor\[eq\]'/],
    ["title'--=x", /Unknown parameter 'title'--'/],
    ['_identity=x', /Unknown parameter '_identity'/],
    ['sort=titel', /Unknown field 'titel'\. Did you mean 'title'\?/],
    ['sort=author.nam', /Unknown field 'author\.nam'\. Did you mean 'author\.name'\?/],
    ['sort=title.name', /Unknown field 'title\.name'\.$/],
    ['sort=pegas', /Unknown field 'pegas'\. Did you mean 'pages'\?/],
    ['sort=xyzzy', /Unknown field 'xyzzy'\.$/],
    ['sort=author.xyzzy', /Unknown field 'author\.xyzzy'\.$/],
    ['embed=author.shef', /Unknown reference 'author\.shef'\. Did you mean 'author\.shelf'\?/],
    ['fields=titel', /Unknown field 'titel'\. Did you mean 'title'\?/],
    ['fields=xyzzy', /Unknown field 'xyzzy'\.$/],
    ['embed=xyzzy', /Unknown reference 'xyzzy'\.$/],
    ['group-by=xyzzy&aggregate=count', /Unknown field 'xyzzy'\.$/],
    ['embed=autor', /Unknown reference 'autor'\. Did you mean 'author'\?/],
  ]
  for (const [query, detail] of unknown) {
    it(query, async () => {
      const path = query.startsWith('group-by') ? '/books/-/aggregate' : '/books'
      const response = await books.handle(`GET ${path}?${query}`)
      assert.equal(response.status, 400, response.text)
      assert.equal(response.json.type, '/problems/unknown-parameter')
      assert.match(response.json.detail, detail)
      assert.ok(response.json.parameter)
    })
  }

  const invalid: readonly (readonly [string, RegExp])[] = [
    ['limit=0', /'limit' must be an integer from 1 to 1000/],
    ['limit=1001', /'limit'/],
    ['limit=1e9', /'limit'/],
    ['limit=', /'limit'/],
    ['limit=1&limit=1', /'limit' is repeated/],
    ['sort=title&sort=title', /'sort' is repeated/],
    ['sort=title,title', /'sort' repeats a name/],
    ['sort=title,-title', /'sort' repeats a field/],
    ['sort=', /'sort' has an empty name/],
    ['sort=tags', /which books cannot be sorted by/],
    ['sort=shelf', /which books cannot be sorted by/],
    ['sort=title,pages,price,weight,lent,genre', /'sort' has more than 5/],
    ['embed=title', /has 'title', which is not a reference/],
    ['embed=author.name', /has 'author\.name', which is not a reference/],
    ['sort=author.books.title', /'books' leads to several items/],
    ['sort=author.name,-author.name', /'sort' repeats a field/],
    ['sort=shelf.code,shelf.id', /'sort' repeats a field/],
    ['pages=x', /'pages' must be an integer/],
    ['pages=1.5', /must be an integer/],
    ['pages=1,2', /must be an integer\. To match one of several values, use 'pages\[in\]=1,2'\.$/],
    ['genre=x', /'genre' must be one of 'a', 'b', 'c'\.$/],
    ['genre=A', /must be one of 'a', 'b', 'c'\.$/],
    ['genre[ne]=x', /must be one of 'a', 'b', 'c'/],
    ['genre[in]=a,x', /must be one of 'a', 'b', 'c'/],
    ['genre=a,b', /must be one of .*\. To match one of several values, use 'genre\[in\]=a,b'\.$/],
    ['genre=a,x', /must be one of 'a', 'b', 'c'\.$/],
    ['pages[in]=1,x', /must be an integer/],
    ['weight=1e', /must be a number/],
    ['weight=1e999', /must be a number/],
    ['price=1e2', /must be a decimal/],
    ['lent=yes', /must be true or false/],
    ['title[missing]=maybe', /must be true or false/],
    ['due=yesterday', /must be a timestamp/],
    ['due=2026-02-30T00:00:00Z', /must be a timestamp/],
    ['title=%01', /must be text without control characters/],
    ['title=%EF%BF%BF', /must be text without control characters/],
    ['tags[has]=%07', /must be text without control characters/],
    [`title[contains]=${'x'.repeat(1001)}`, /must be at most 1000 characters/],
    [`pages[in]=${'1,'.repeat(100)}1`, /must be at most 100 values/],
    ['author.shelf.x.x=1', /of 4 steps\. A path has at most 3\./],
    [`${'a.'.repeat(20)}b=1`, /of 21 steps\. A path has at most 3\./],
    [Array(21).fill('pages=1').join('&'), /exceeds the limit of 20 filters/],
    [Array(1000).fill('pages=1').join('&'), /exceeds the limit of 20 filters/],
    ['q=%21', /'q' has no word/],
    [`q=${Array.from({ length: 21 }, (_, n) => `w${n}`).join('+')}`, /more than 20 words/],
    [`q=${'x'.repeat(1001)}`, /more than 1000 characters/],
  ]
  for (const [query, detail] of invalid) {
    it(query.slice(0, 60), async () => {
      const response = await books.handle(`GET /books?${query}`)
      assert.equal(response.status, 400, response.text)
      assert.equal(response.json.type, '/problems/invalid-parameter')
      assert.match(response.json.detail, detail)
    })
  }

  it('NUL anywhere in the target is 400', async () => {
    for (const query of ['title=%00', 'title%00=x', 'sort=%00', 'q=%00']) {
      assert.equal((await books.handle(`GET /books?${query}`)).status, 400, query)
    }
  })

  it('60 KiB of pattern are 414, and 422 in the content of a QUERY', async () => {
    const pattern = 'x'.repeat(60 * 1024)
    assert.equal((await books.handle(`GET /books?title[contains]=${pattern}`)).status, 414)
    const query = await books.handle('QUERY /books', {}, { title: { contains: pattern } })
    assert.equal(query.status, 422)
    assert.equal(query.json.errors[0].pointer, '/title/contains')
  })
})

describe('the other side of each limit', () => {
  for (const query of [
    'limit=1',
    'limit=1000',
    `title[contains]=${'x'.repeat(1000)}`,
    `pages[in]=${'1,'.repeat(99)}1`,
    Array(20).fill('pages=1').join('&'),
    'sort=title,pages,price,weight,lent',
    "title=' or 1=1 --&title[starts]=%25&title[contains]=_",
    'pages=99999999999999999999&price[lt]=1.23456789&weight[gte]=-1e300',
    'id=nothing&author=nothing&shelf=nothing',
    'genre=c',
    'title[ne]=&title[in]=,',
    `q=${Array.from({ length: 20 }, (_, n) => `w${n}`).join('+')}`,
  ]) {
    it(query.slice(0, 60), async () => {
      const response = await books.handle(`GET /books?${encodeURI(decodeURI(query))}`)
      assert.equal(response.status, 200, response.text)
    })
  }
})

describe('a cursor is good for its collection, order and filter alone', () => {
  it('another order, filter, collection or direction of time is 400 invalid-cursor', async () => {
    for (const code of ['K1', 'K2', 'K3']) await books.handle('POST /shelves', {}, { code })
    const page = await books.handle('GET /shelves?limit=1')
    const cursor = /after=([^>]*)>/.exec(page.fields.link ?? '')?.[1]
    assert.equal((await books.handle(`GET /shelves?limit=2&after=${cursor}`)).status, 200)
    for (const target of [
      `/shelves?sort=-id&after=${cursor}`,
      `/shelves?floor=1&after=${cursor}`,
      `/people?after=${cursor}`,
      `/shelves?after=${cursor?.slice(0, -2)}`,
      '/shelves?after=',
      '/shelves?before=x',
    ]) {
      const response = await books.handle(`GET ${target}`)
      assert.equal(response.status, 400, target)
      assert.equal(response.json.type, '/problems/invalid-cursor')
    }
    const both = await books.handle(`GET /shelves?after=${cursor}&before=${cursor}`)
    assert.equal(both.json.type, '/problems/invalid-parameter')
  })
})

describe('hidden fields are refused in the same bytes as unknown ones', () => {
  const asAda = basic('ada@example.org', 'analytical engine')
  /** The hidden name and one that nothing has, of the same length. */
  const pairs: readonly (readonly [string, string])[] = [
    ['GET /users?email=x', 'GET /users?xxxxx=x'],
    ['GET /users?email[foo]=x', 'GET /users?xxxxx[foo]=x'],
    ['GET /users?email[missing]=maybe', 'GET /users?xxxxx[missing]=maybe'],
    ['GET /users?password=x', 'GET /users?xxxxxxxx=x'],
    ['GET /users?sort=-email', 'GET /users?sort=-xxxxx'],
    ['GET /users?fields=password', 'GET /users?fields=xxxxxxxx'],
    ['GET /articles?author.email=x', 'GET /articles?author.xxxxx=x'],
    ['GET /articles?author.email.x=x', 'GET /articles?author.xxxxx.x=x'],
    ['GET /articles?embed=author.email', 'GET /articles?embed=author.xxxxx'],
  ]
  const same = (one: Handled, name: string, other: Handled, otherName: string) => {
    const bytes = ({ text, status, fields }: Handled, echoed: string) => [
      status,
      text.replaceAll(echoed, '?').replace(/urn:uuid:[0-9a-f-]*/, ''),
      { ...fields, 'request-id': undefined, date: undefined },
    ]
    assert.deepEqual(bytes(one, name), bytes(other, otherName))
  }
  for (const [hidden, absent] of pairs) {
    it(hidden, async () => {
      for (const caller of [{}, asAda]) {
        const one = await store.handle(hidden, caller)
        const other = await store.handle(absent, caller)
        assert.equal(one.status, 400, one.text)
        const name = /email|password/.exec(hidden)?.[0] ?? ''
        same(one, name, other, 'x'.repeat(name.length))
      }
    })
  }

  it('and in a QUERY, at its place', async () => {
    const one = await store.handle('QUERY /articles', {}, { 'author.email': 'x', email: 1 })
    const other = await store.handle('QUERY /articles', {}, { 'author.xxxxx': 'x', xxxxx: 1 })
    assert.equal(one.status, 422)
    same(one, 'email', other, 'xxxxx')
  })

  it('a field hidden on some records is allowed in fields, and left out there', async () => {
    const { json } = await store.handle('GET /users?fields=email', asAda)
    assert.deepEqual(json.map((user: object) => Object.keys(user).length).sort(), [1, 2])
    assert.equal((await store.handle('GET /users?email=ada@example.org', asAda)).status, 400)
    assert.equal((await store.handle('GET /users?email=ada@example.org', admin)).json.length, 1)
  })

  it('no suggestion names a hidden field', async () => {
    for (const query of [
      'emai=x',
      'sort=emai',
      'sort=xyzzy',
      'fields=passwor',
      'fields=xyzzy',
      'embed=xyzzy',
    ]) {
      const { status, json } = await store.handle(`GET /users?${query}`)
      assert.equal(status, 400)
      assert.doesNotMatch(json.detail, /\b(email|password|disabled)\b/, query)
    }
    assert.match((await store.handle('GET /users?emai=x', admin)).text, /Did you mean 'email'/)
  })
})
