/** Content and names that are meant to harm: none runs, none escapes, none is stored in part. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, type SendRequest, serve } from '../../service.ts'
import { asPng, gallery, newAccount, newPicture, png } from './gallery.ts'

/** A file of any type, at a field that takes all. */
async function stored(request: SendRequest, type: string, content: string | Buffer) {
  const item = await newPicture(request)
  const sent = await request(`PUT ${item}/original`, { ...admin, 'content-type': type }, content)
  assert.equal(sent.status, 201, sent.text)
  return request(`GET ${item}/original`, admin)
}

test('HTML, SVG, XML and unknown types are downloads that may run nothing', async () => {
  await using s = await serve(gallery)
  const script = '<script>alert(1)</script>'
  const contents: readonly [string, string][] = [
    ['text/html', script],
    ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
    ['application/xhtml+xml', script],
    ['text/xml', script],
    ['application/xml', script],
    ['application/octet-stream', script],
    ['application/x-shockwave-flash', 'CWS'],
  ]
  for (const [type, content] of contents) {
    const { fields } = await stored(s.request, type, content)
    assert.match(String(fields['content-disposition']), /^attachment;/, type)
    assert.equal(fields['content-security-policy'], "default-src 'none'; sandbox", type)
    assert.equal(fields['x-content-type-options'], 'nosniff', type)
  }
})

test('other text is shown as plain text, whatever it says', async () => {
  await using s = await serve(gallery)
  for (const type of ['text/markdown', 'text/css', 'text/javascript', 'application/javascript']) {
    const { fields } = await stored(s.request, type, '<script>alert(1)</script>')
    assert.equal(fields['content-type'], 'text/plain; charset=utf-8', type)
    assert.match(String(fields['content-disposition']), /^inline;/)
  }
})

test('a polyglot has the type that it was checked for', async () => {
  await using s = await serve(gallery)
  const polyglot = Buffer.concat([png, Buffer.from('<script>alert(1)</script>')])
  const { fields } = await stored(s.request, 'image/png', polyglot)
  assert.equal(fields['content-type'], 'image/png')
  assert.equal(fields['x-content-type-options'], 'nosniff')
})

test('names have no path, no control characters and a limited length', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const names: readonly [string, string][] = [
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\windows\\\\a.png', 'a.png'],
    ['..', 'image.png'],
    ['', 'image.png'],
    ['/', 'image.png'],
    ['a\tb.png', 'ab.png'],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(251)}.png`],
  ]
  for (const [sent, expected] of names) {
    const fields = { ...asPng, 'content-disposition': `attachment; filename="${sent}"` }
    const reply = await s.request(`PUT ${item}/image`, fields, png)
    assert.ok(reply.status < 300, `${sent}: ${reply.text}`)
    assert.equal((await s.request(`GET ${item}`)).json.image.name, expected)
  }
  const encoded = `attachment; filename*=UTF-8''a%0D%0Ab%E2%80%AEgnp.exe`
  await s.request(`PUT ${item}/image`, { ...asPng, 'content-disposition': encoded }, png)
  assert.equal((await s.request(`GET ${item}`)).json.image.name, 'abgnp.exe')
})

const form = { 'content-type': 'multipart/form-data; boundary=b' }

function part(name: string, content: string, more = ''): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: image/png\r\n${more}\r\n${content}\r\n`
}

const image = part('image', png.toString('latin1'))
const emptyPart = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n'

const hostileForms: readonly [name: string, content: string, status: number][] = [
  ['without any boundary at its end', image, 400],
  ['with half of the last boundary', `${image}--b`, 400],
  ['with 1,001 parts', `${image}${emptyPart.repeat(1000)}--b--`, 413],
  ['with 100,000 parts', `${image}${emptyPart.repeat(99_999)}--b--`, 413],
  ['with a part without a name', `${image}--b\r\n\r\n\r\n--b--`, 400],
  ['with a header of 9,000 octets in a part', part('image', 'x', `X: ${'x'.repeat(9000)}\r\n`), 413],
  ['without the file', `${part('other', 'x')}--b--`, 422],
  ['without content', '', 400],
]

for (const [name, content, status] of hostileForms) {
  test(`a form ${name} stores nothing`, async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const refused = await s.request(`PUT ${item}/image`, form, Buffer.from(content, 'latin1'))
    assert.equal(refused.status, status, refused.text)
    assert.equal((await s.request(`GET ${item}/image`)).status, 404)
  })
}

test('a complete form stores its file', async () => {
  await using s = await serve(gallery)
  const item = await newPicture(s.request)
  const accepted = await s.request(`PUT ${item}/image`, form, Buffer.from(`${image}--b--`, 'latin1'))
  assert.equal(accepted.status, 201, accepted.text)
  assert.equal((await s.request(`GET ${item}`)).json.image.name, 'a.png')
  assert.equal(
    (await s.request(`GET ${item}/image`)).octets.length,
    Buffer.from(png.toString('latin1'), 'latin1').length,
  )
})

test('a digest gives no access', async () => {
  await using s = await serve(gallery)
  const ada = await newAccount(s.request, 'ada')
  const item = await newPicture(s.request)
  await s.request(`PUT ${item}/original`, { ...admin, ...asPng }, png)
  const { digest } = (await s.request(`GET ${item}`, admin)).json.original
  const other = await newPicture(s.request)
  for (const href of [`${item}/original`, `${item}/image`, `${other}/image`]) {
    const refused = await s.request(`PATCH ${other}`, ada, { image: { href, digest } })
    assert.equal(refused.status, 422)
  }
})
