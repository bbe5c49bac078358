import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidHost } from '../../src/http/request-target.ts'

test('a host is a name or an address, with or without a port (RFC 9110 §7.2)', () => {
  const valid = [
    ...['localhost', 'example.org', 'EXAMPLE.org:8080', 'h:', '127.0.0.1:3000', 'a_b~c', 'x%C3%A9'],
    ...['[::1]', '[::1]:443', '[2001:db8::ffff:192.0.2.1]', '[v1.fe80::a+en1]', '[::]:'],
  ]
  for (const host of valid) assert.equal(isValidHost(host), true, host)
})

test('anything else is no host (RFC 9112 §3.2)', () => {
  const invalid = [
    ...['', ' ', ':80', 'u@h', 'u:p@h', 'h/p', 'h?q', 'h#f', 'a, b', 'a,b', 'a b', ' a', 'a ', 'a\tb'],
    ...['h:80:80', 'h:x', 'h:-1', 'h: 80', 'h%', 'h%zz', 'h\\', 'é', 'h\0', 'h\n', 'http://h', '"h"'],
    ...['[', ']', '[]', '[::1', '::1', '[::1]x', '[::1]:x', '[::1]]', '[[::1]]', '[127.0.0.1]', '[g::]'],
    ...['[fe80::1%eth0]', '[fe80::1%25eth0]', '[1:2:3]', '[v.a]', '[v1.]', '[v1.a b]'],
  ]
  for (const host of invalid) assert.equal(isValidHost(host), false, JSON.stringify(host))
})
