/** RFC 9110 §14: range requests, judged by the octets that arrive. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asPng, gallery, newPicture, png } from '../features/files/gallery.ts'
import { type Reply, serve } from '../service.ts'

const size = png.length

async function servePicture() {
  const s = await serve(gallery)
  const item = await newPicture(s.request)
  await s.request(`PUT ${item}/image`, asPng, png)
  return { s, item, get: (fields: Record<string, string>) => s.request(`GET ${item}/image`, fields) }
}

function assertPart(reply: Reply, first: number, last: number): void {
  assert.equal(reply.status, 206)
  assert.equal(reply.fields['content-range'], `bytes ${first}-${last}/${size}`)
  assert.equal(reply.fields['content-length'], String(last - first + 1))
  assert.deepEqual(reply.octets, png.subarray(first, last + 1))
}

function assertWhole(reply: Reply): void {
  assert.equal(reply.status, 200)
  assert.equal(reply.fields['content-range'], undefined)
  assert.deepEqual(reply.octets, png)
}

describe('§14.1.2: forms of a range', () => {
  const parts: readonly [string, number, number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=0-9', 0, 9],
    ['bytes=10-', 10, size - 1],
    [`bytes=${size - 1}-`, size - 1, size - 1],
    ['bytes=-1', size - 1, size - 1],
    ['bytes=-10', size - 10, size - 1],
    [`bytes=-${size}`, 0, size - 1],
    [`bytes=-${size + 1}`, 0, size - 1],
    [`bytes=0-${size - 1}`, 0, size - 1],
    [`bytes=5-${size + 1000}`, 5, size - 1],
    ['bytes=0-99999999999999999999', 0, size - 1],
    ['BYTES=1-2', 1, 2],
    ['bytes= 1-2 ', 1, 2],
    ['bytes=001-002', 1, 2],
  ]
  test('one range is 206 with these octets', async () => {
    const { s, get } = await servePicture()
    await using _ = s
    for (const [range, first, last] of parts) assertPart(await get({ range }), first, last)
  })

  test('§15.5.17: no octet in the range is 416 with the length', async () => {
    const { s, get } = await servePicture()
    await using _ = s
    for (const range of [
      `bytes=${size}-`,
      `bytes=${size}-${size + 5}`,
      'bytes=-0',
      'bytes=99999999999999999999-',
    ]) {
      const refused = await get({ range })
      assert.equal(refused.status, 416, range)
      assert.equal(refused.fields['content-range'], `bytes */${size}`)
      assert.match(refused.json.type, /range-not-satisfiable$/)
    }
  })

  test('§14.2: other units, malformed ranges and several ranges are answered by the whole file', async () => {
    const { s, get } = await servePicture()
    await using _ = s
    const ignored = [
      'items=0-1',
      'bytes',
      'bytes=',
      'bytes=-',
      'bytes=5-1',
      'bytes=a-b',
      'bytes=0-1,3-4',
      '0-1',
      'bytes=1.5-2',
    ]
    for (const range of ignored) assertWhole(await get({ range }))
  })

  test('§14.2: only GET has ranges', async () => {
    const { s, item } = await servePicture()
    await using _ = s
    const head = await s.request(`HEAD ${item}/image`, { range: 'bytes=0-1' })
    assert.equal(head.status, 200)
    assert.equal(head.fields['content-length'], String(size))
    assert.equal(head.fields['accept-ranges'], 'bytes')
  })
})

describe('§13.1.5: If-Range', () => {
  const range = 'bytes=2-4'

  test('the current entity tag gives the part, another or a weak one the whole file', async () => {
    const { s, get } = await servePicture()
    await using _ = s
    const tag = String((await get({})).fields.etag)
    assertPart(await get({ range, 'if-range': tag }), 2, 4)
    for (const other of ['"x"', `W/${tag}`, `${tag}, "x"`, '*'])
      assertWhole(await get({ range, 'if-range': other }))
    assert.equal((await get({ range: `bytes=${size}-`, 'if-range': '"x"' })).status, 200)
  })

  test('exactly the date of the last modification gives the part', async () => {
    const { s, get } = await servePicture()
    await using _ = s
    const date = String((await get({})).fields['last-modified'])
    assertPart(await get({ range, 'if-range': date }), 2, 4)
    const later = new Date(Date.parse(date) + 1000).toUTCString()
    const earlier = new Date(Date.parse(date) - 1000).toUTCString()
    for (const other of [later, earlier, 'yesterday']) assertWhole(await get({ range, 'if-range': other }))
  })

  test('§8.8.2.2: a date that two files of the field share gives the whole file', async () => {
    const { s, item, get } = await servePicture()
    await using _ = s
    const others = [() => Promise.resolve(), () => s.request(`DELETE ${item}/image`)]
    for (const before of others) {
      const old = String((await get({})).fields['last-modified'])
      await before()
      await s.request(`PUT ${item}/image`, asPng, Buffer.concat([png, png]))
      const reply = await get({ range, 'if-range': old })
      // In the same second the date is the same; later it is another one.
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.octets, Buffer.concat([png, png]))
      await s.request(`PUT ${item}/image`, asPng, png)
    }
  })

  test('§13.2.2: preconditions come first', async () => {
    const { s, get } = await servePicture()
    await using _ = s
    const tag = String((await get({})).fields.etag)
    assert.equal((await get({ range, 'if-none-match': tag })).status, 304)
    assert.equal((await get({ range, 'if-match': '"x"' })).status, 412)
    assertPart(await get({ range, 'if-match': tag, 'if-range': tag }), 2, 4)
  })
})

test('§14: the parts of a large file make up the file', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const large = Buffer.concat([png, Buffer.alloc(700_000, 'abcdefg')])
  await s.request(`PUT ${item}/image`, asPng, large)
  const parts: Buffer[] = []
  for (let first = 0; first < large.length; first += 230_000) {
    const { octets, status } = await s.request(`GET ${item}/image`, {
      range: `bytes=${first}-${first + 229_999}`,
    })
    assert.equal(status, 206)
    parts.push(octets)
  }
  assert.ok(Buffer.concat(parts).equals(large))
})
