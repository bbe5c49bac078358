import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatLinks } from '../../src/http/link.ts'

test('rel is the first parameter, and always quoted (RFC 8288 §3)', () => {
  assert.equal(formatLinks([{ target: '/users?after=x', rel: 'next' }]), '</users?after=x>; rel="next"')
  assert.equal(
    formatLinks([{ type: 'text/html', target: '/users', rel: 'alternate' }]),
    '</users>; rel="alternate"; type="text/html"',
  )
})

test('several links share one field, parted by commas (RFC 8288 §3)', () => {
  const links = [
    { target: '/', rel: 'self' },
    { target: '/a', rel: 'item', title: undefined },
  ]
  assert.equal(formatLinks(links), '</>; rel="self", </a>; rel="item"')
  assert.equal(formatLinks([]), '')
})

test('attributes are quoted and escaped (RFC 9110 §5.6.4)', () => {
  assert.equal(
    formatLinks([{ target: '/a', rel: 'item', title: 'a, "b"; \\' }]),
    '</a>; rel="item"; title="a, \\"b\\"; \\\\"',
  )
})

test('text beyond ASCII is written in the starred attribute (RFC 8187 §3.2)', () => {
  assert.equal(
    formatLinks([{ target: '/a', rel: 'item', title: "é*'(\r\n" }]),
    '</a>; rel="item"; title*=UTF-8\'\'%C3%A9%2A%27%28%0D%0A',
  )
})

test('no target can end its reference or the field (RFC 8288 §3)', () => {
  assert.equal(
    formatLinks([{ target: '/a>; rel="evil"\r\né\ud800%20[1]', rel: 'x' }]),
    '</a%3E;%20rel=%22evil%22%0D%0A%C3%A9%EF%BF%BD%20[1]>; rel="x"',
  )
})
