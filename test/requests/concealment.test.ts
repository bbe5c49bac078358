/** Access: hidden items are indistinguishable from absent ones (docs/reference/http/access.md, "Access"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { admin, type Reply, type TestService } from '../service.ts'
import { absentId, ada, asAda, asBob, bob, start, visiblePart } from './hidden-items.ts'

async function assertConcealed(s: TestService, hidden: string, caller: { authorization?: string }) {
  const absent = hidden.replace(/[^/]+$/, absentId)
  const exchanges: [method: string, fields: object, body?: unknown][] = [
    ['GET', {}],
    ['GET', { 'if-none-match': '*' }],
    ['HEAD', {}],
    ['OPTIONS', {}],
    ['PUT', {}, { title: 'x' }],
    ['PUT', { 'if-match': '"x"' }, { nonsense: 1 }],
    ['PATCH', {}, { title: 'x' }],
    ['PATCH', { 'content-type': 'application/json' }, '{'],
    ['PATCH', {}],
    ['DELETE', {}],
    ['DELETE', { 'if-match': '*' }],
  ]
  for (const [method, fields, body] of exchanges) {
    const one = await s.request(`${method} ${hidden}`, { ...caller, ...fields }, body)
    const other = await s.request(`${method} ${absent}`, { ...caller, ...fields }, body)
    assert.deepEqual(visiblePart(one), visiblePart(other), `${method} ${JSON.stringify(fields)}`)
  }
}

describe('hidden items are indistinguishable from absent ones', () => {
  test('byte for byte, for every method, to an account that may not see it', async () => {
    const { s, paper, diary } = await start()
    await using _ = s
    await assertConcealed(s, paper, asBob)
    await assertConcealed(s, diary, asBob)
    assert.equal((await s.request(`GET ${paper}`, asBob)).status, 404)
    assert.equal((await s.request(`DELETE ${paper}`, asBob)).status, 404)
    assert.equal((await s.request(`GET ${paper}`, asAda)).json.title, 'secret')
  })

  test('byte for byte, for every method, to a caller without an account', async () => {
    const { s, paper, diary } = await start()
    await using _ = s
    await assertConcealed(s, paper, {})
    await assertConcealed(s, diary, {})
    assert.equal((await s.request(`GET ${paper}`)).status, 404)
  })

  test('a list shows only what the caller may read', async () => {
    const { s } = await start()
    await using _ = s
    const titles = async (caller: object) =>
      (await s.request('GET /papers', { ...caller })).json.map((item: { title: string }) => item.title)
    await s.request('POST /papers', asAda, { title: 'open', reach: 'public' })
    assert.deepEqual((await titles(asAda)).sort(), ['open', 'secret'])
    assert.deepEqual(await titles(asBob), ['open'])
    assert.deepEqual(await titles({}), ['open'])
  })

  test('nor does a hidden item move the ETag of a list or the link to its next page', async () => {
    const { s, paper } = await start()
    await using _ = s
    await s.request('POST /papers', asAda, { title: 'open', reach: 'public' })
    const before = await s.request('GET /papers?limit=1', asBob)
    await s.request('POST /papers', asAda, { title: 'another' })
    await s.request(`PATCH ${paper}`, asAda, { title: 'changed' })
    const after = await s.request('GET /papers?limit=1', asBob)
    assert.deepEqual(visiblePart(after), visiblePart(before))
    assert.doesNotMatch(after.fields.link as string, /rel="next"/)
  })

  test('a field that the caller may not see is left out, for any value', async () => {
    const { s, adaUri } = await start()
    await using _ = s
    assert.ok(!('email' in (await s.request(`GET ${adaUri}`, asBob)).json))
    assert.equal((await s.request(`GET ${adaUri}`, asAda)).json.email, ada.email)
    const list: Reply['json'][] = (await s.request('GET /users', asBob)).json
    assert.deepEqual(
      list.flatMap((user) => user.email ?? []),
      [bob.email],
    )
    for (const caller of [{}, asAda, asBob, admin]) {
      assert.doesNotMatch((await s.request('GET /users', { ...caller })).text, /password|argon2/)
    }
  })

  test('a duplicate of a hidden unique value is 409 without naming the item', async () => {
    const { s, paper } = await start()
    await using _ = s
    const response = await s.request('POST /papers', asBob, { title: 'secret' })
    assert.equal(response.status, 409)
    assert.ok(!response.text.includes(paper.split('/').at(-1) as string))
  })

  test('a reference to a hidden item is 422 in the words of one to an absent item', async () => {
    const { s, paper } = await start()
    await using _ = s
    const hidden = await s.request('POST /remarks', asBob, { paper: paper.split('/').at(-1) })
    const absent = await s.request('POST /remarks', asBob, { paper: absentId })
    assert.equal(hidden.status, 422)
    assert.equal(hidden.json.errors[0].pointer, '/paper')
    assert.deepEqual(visiblePart(hidden), visiblePart(absent))
    const { location } = (await s.request('POST /remarks', asBob, {})).fields
    for (const method of ['PUT', 'PATCH']) {
      const one = await s.request(`${method} ${location}`, asBob, { paper: paper.split('/').at(-1) })
      const other = await s.request(`${method} ${location}`, asBob, { paper: absentId })
      assert.deepEqual(visiblePart(one), visiblePart(other))
    }
  })

  test('a DELETE blocked by hidden items is 409 and names none of them', async () => {
    const { s, paper } = await start()
    await using _ = s
    await s.request(`PATCH ${paper}`, asAda, { reach: 'public' })
    const remark = await s.request('POST /remarks', asBob, { paper: paper.split('/').at(-1) })
    assert.equal(remark.status, 201)
    const response = await s.request(`DELETE ${paper}`, asAda)
    assert.equal(response.status, 409)
    assert.equal(response.json.type, '/problems/referenced')
    assert.ok(!response.text.includes(remark.json.id))
    assert.ok(!response.text.includes('remarks'))
    assert.equal(response.json.by, undefined)
  })

  test('the entry point links only to collections that the caller might read', async () => {
    const { s } = await start()
    await using _ = s
    const links = (await s.request('GET /')).json.links
    assert.ok(links.papers && links.readable)
    assert.ok(!('untouchable' in links) && !('diaries' in links) && !('account' in links))
    const ofAda = (await s.request('GET /', asAda)).json.links
    assert.ok(ofAda.diaries && ofAda.account && !('untouchable' in ofAda))
  })
})
