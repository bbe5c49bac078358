/** Files in a write of their item: copied, kept and removed by its members. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { admin, serve } from '../../service.ts'
import { asPng, gallery, newAccount, newPicture, png } from './gallery.ts'

describe('the member in a write of the item', () => {
  test('an href copies a file that the caller may read, without sending it again', async () => {
    await using s = await serve(gallery)
    const [one, two] = [await newPicture(s.request), await newPicture(s.request)]
    await s.request(
      `PUT ${one}/image`,
      { ...asPng, 'content-disposition': 'attachment; filename="a.png"' },
      png,
    )
    const copied = await s.request(`PATCH ${two}`, {}, { image: { href: `${one}/image` } })
    assert.equal(copied.status, 200, copied.text)
    assert.deepEqual(copied.json.image, {
      ...(await s.request(`GET ${one}`)).json.image,
      href: `${two}/image`,
    })
    await s.request(`DELETE ${one}`)
    assert.deepEqual((await s.request(`GET ${two}/image`)).octets, png)
    const created = await s.request('POST /pictures', {}, { title: 'B', image: { href: `${two}/image` } })
    assert.equal(created.status, 201)
    assert.deepEqual((await s.request(`GET ${created.fields.location}/image`)).octets, png)
  })

  test('null removes it; a PUT of what was read keeps it, a PUT without it removes it', async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    await s.request(`PUT ${item}/image`, asPng, png)
    const read = await s.request(`GET ${item}`)
    const kept = await s.request(`PUT ${item}`, { 'if-match': String(read.fields.etag) }, read.json)
    assert.equal(kept.status, 200, kept.text)
    assert.deepEqual(kept.json, read.json)
    assert.equal((await s.request(`PUT ${item}`, {}, { title: 'C' })).json.image, undefined)
    await s.request(`PUT ${item}/image`, asPng, png)
    assert.equal((await s.request(`PATCH ${item}`, {}, { image: null })).json.image, undefined)
  })

  test('422 for a file that is absent, hidden, of another form, or that does not fit', async () => {
    await using s = await serve(gallery)
    const [one, two] = [await newPicture(s.request), await newPicture(s.request)]
    const ada = await newAccount(s.request, 'ada')
    await s.request(`PUT ${one}/original`, { ...admin, 'content-type': 'application/zip' }, 'PK\x03\x04')
    const refused = async (image: unknown, fields = {}) => {
      const { status, json } = await s.request(`PATCH ${two}`, fields, { image })
      assert.equal(status, 422)
      return json.errors
    }
    const absent = await refused({ href: `${one}/image` }, ada)
    assert.equal(absent[0].pointer, '/image/href')
    assert.deepEqual(await refused({ href: `${one}/original` }, ada), absent)
    assert.deepEqual(await refused({ href: 'https://example.org/a.png' }), absent)
    assert.equal((await refused({ href: `${one}/original` }, admin))[0].rule, 'type')
    await refused('a.png')
    await refused({ name: 'a.png' })
    await refused({ href: 1 })
    await s.request(`PUT ${one}/image`, asPng, png)
    assert.equal((await refused({ href: `${one}/image`, size: 1 }))[0].pointer, '/image/size')
  })
})
