/** Links (RFC 8288) of requests with long targets: the header section is bounded (RFC 9110 §5.4). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import { serve } from '../service.ts'

describe('the header section is bounded, even if the request repeats fields (RFC 9110 §5.4)', () => {
  const anyoneMay = { read: anyone, create: anyone }
  const notes = service({
    title: 'Notes',
    resources: { notes: resource({ name: text(), body: text() }, { access: anyoneMay }) },
  })
  const octetsOf = (link: unknown) => String(link ?? '').length

  async function withNotes(bodies: readonly string[]) {
    const s = await serve(notes)
    for (const body of bodies) await s.request('POST /notes', {}, { name: 'n', body })
    return s
  }

  test('a long filter is repeated by next and prev alone, and they can be followed', async () => {
    await using s = await withNotes(['a', 'b', 'c'])
    const filter = `name[in]=n,${'\\,'.repeat(900)}`
    const first = await s.request(`GET /notes?limit=1&${filter}`)
    assert.equal(first.status, 200)
    assert.ok(octetsOf(first.fields.link) < 8192, `${octetsOf(first.fields.link)}`)
    assert.equal(first.fields['content-location'], undefined)
    const next = /<([^>]*)>; rel="next"/.exec(String(first.fields.link))?.[1]
    const second = await s.request(`GET ${next}`)
    assert.equal(second.status, 200)
    assert.match(String(second.fields.link), /rel="prev"/)
    assert.ok(octetsOf(second.fields.link) < 12_288)
    const refused = await s.request(`GET /notes?${filter}`, { accept: 'image/png' })
    assert.equal(refused.status, 406)
    assert.ok(octetsOf(refused.fields.link) < 8192)
  })

  test('a short one is repeated by next and monitor alone', async () => {
    await using s = await withNotes(['a', 'b'])
    const { link } = (await s.request(`GET /notes?limit=1&name[in]=n,${'x'.repeat(900)}`)).fields
    const repeating = String(link)
      .split(/, (?=<)/)
      .filter((one) => one.includes('xxx'))
    assert.deepEqual(
      repeating.map((one) => /rel="([^"]*)"/.exec(one)?.[1]),
      ['next', 'monitor'],
    )
  })

  test('a list whose next page could not be requested is refused, instead of omitting the link', async () => {
    await using s = await withNotes(['a', 'b'])
    const filter = `name[in]=n${`,${'\\,'.repeat(900)}`.repeat(3)}`
    const refused = await s.request(`GET /notes?limit=1&${filter}`)
    assert.equal(refused.status, 414)
    assert.match(refused.json.detail, /QUERY/)
    const content = { name: { in: ['n', ','.repeat(900), ';'.repeat(900), '?'.repeat(900)] } }
    const reply = await s.request('QUERY /notes?limit=1', {}, content)
    assert.equal(reply.status, 200)
    assert.equal(reply.fields.location, undefined)
    const next = /<([^>]*)>; rel="next"/.exec(String(reply.fields.link))?.[1]
    assert.equal((await s.request(`QUERY ${next}`, {}, content)).json.length, 1)
  })

  test('an order by a value that no link can contain is refused at its parameter', async () => {
    await using s = await withNotes(['a'.repeat(9000), 'b'])
    const refused = await s.request('GET /notes?limit=1&sort=body')
    assert.equal(refused.status, 400)
    assert.equal(refused.json.parameter, 'sort')
    assert.equal((await s.request('GET /notes?sort=body')).status, 200)
  })
})
