import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { serve } from '../service.ts'

const define = (securityContact?: string) =>
  service({
    title: 'Notes',
    ...(securityContact !== undefined && { securityContact }),
    resources: { notes: resource({ title: text() }, { access: { read: anyone } }) },
  })

test('RFC 9116 §2, §3: the file has a contact and an expiry, as text at its well-known path', async () => {
  await using s = await serve(define('mailto:security@example.org'), { publicUrl: 'https://example.org' })
  const found = await s.request('GET /.well-known/security.txt', { accept: 'text/html' })
  assert.equal(found.status, 200)
  assert.equal(found.fields['content-type'], 'text/plain; charset=utf-8')
  const [contact, expires = '', canonical, end] = found.text.split('\n')
  assert.equal(contact, 'Contact: mailto:security@example.org')
  assert.match(expires, /^Expires: \d{4}-\d\d-\d\dT00:00:00\.000Z$/)
  const days = (Date.parse(expires.slice('Expires: '.length)) - Date.now()) / 86_400_000
  assert.ok(days > 170 && days < 366, '§2.5.5: less than a year')
  assert.equal(canonical, 'Canonical: https://example.org/.well-known/security.txt')
  assert.equal(end, '')
  const head = await s.request('HEAD /.well-known/security.txt')
  assert.equal(head.status, 200)
  assert.equal(head.text, '')
  assert.equal((await s.request('POST /.well-known/security.txt')).status, 405)
})

test('without a contact there is no such file', async () => {
  await using s = await serve(define())
  assert.equal((await s.request('GET /.well-known/security.txt')).status, 404)
})

test('RFC 9116 §2.5.3: the contact is a URI', () => {
  for (const contact of ['security@example.org', 'http://example.org', 'mailto:a@b\nContact: x', 'mailto:']) {
    assert.throws(() => checkDefinition(define(contact)), /'securityContact' must be a URI such as/, contact)
  }
})
