import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { negotiateCoding, negotiateMediaType } from '../../src/http/negotiation.ts'
import { cases } from '../cases.ts'

const json = 'application/json'
const xml = 'application/xml'
const html = 'text/html'
const offers = [json, 'application/hal+json', xml, 'text/csv', html]

function expectTypes(table: readonly (readonly [string | undefined, string | undefined])[]): void {
  for (const [accept, chosen] of table) {
    assert.equal(negotiateMediaType(accept, offers), chosen, `Accept: ${accept}`)
  }
}

test('without Accept, or with an empty one, the first offer is sent (RFC 9110 §12.5.1)', () => {
  expectTypes([
    [undefined, json],
    ['', json],
    [' , ', json],
    ['*/*', json],
  ])
})

test('a range is a type, all subtypes of one, or anything, in any case (§12.5.1)', () => {
  expectTypes([
    ['application/json', json],
    ['APPLICATION/XML', xml],
    ['text/*', 'text/csv'],
    ['text/html', html],
    ['image/*', undefined],
    ['image/png', undefined],
    ['*/json', undefined],
  ])
})

test('the highest weight wins, equal weights leave the choice to the server (§12.4.2)', () => {
  expectTypes([
    ['application/xml, application/json', json],
    ['application/xml;q=0.9, application/json;q=0.8', xml],
    ['application/json;q=0.5, application/xml', xml],
    ['application/json;q=0.999, application/xml;q=1.000', xml],
    ['application/json;Q=0.1, text/html;q=0.101', html],
  ])
})

test('the weight may be at any place among the parameters (§12.4.2)', () => {
  expectTypes([['application/json;q=0.1;charset=utf-8, text/html;q=0.2', html]])
})

test('the most specific range determines the weight, in any order (§12.5.1)', () => {
  expectTypes([
    ['*/*, application/json;q=0.1, application/*;q=0.5', 'text/csv'],
    ['application/*, application/json;q=0.2', 'application/hal+json'],
    ['text/*;q=0.3, text/html;q=0.7, */*;q=0.5', html],
    ['application/json;q=0.1, application/json;charset=utf-8;q=0.9, text/html;q=0.5', json],
    ['application/json;charset=utf-8;q=0.1, application/json;q=0.9, text/html;q=0.5', html],
    ['application/*;charset=utf-8;q=0.9, application/json;q=0.1', 'application/hal+json'],
  ])
})

test('a weight of 0 excludes (§12.4.2)', () => {
  expectTypes([
    ['*/*;q=0', undefined],
    ['application/json;q=0', undefined],
    ['application/json;q=0, */*', 'application/hal+json'],
    ['application/*;q=0.0, */*;q=0.1', 'text/csv'],
    ['*/*;q=0, application/xml;q=0.001', xml],
    ['application/json;q=0.000', undefined],
  ])
})

test('a parameter that an offer does not have is ignored, and excludes nothing (§12.5.1)', () => {
  expectTypes([
    ['application/json;v=2', json],
    ['application/xml; profile="urn:x"; v=1', xml],
    ['application/json;v=2, text/html;q=0.1', json],
    ['application/json;v=2;q=0.9, application/json;q=0.1, text/html;q=0.5', html],
    ['application/json;v=2;q=0, */*', json],
    ['application/json;v=2;q=0', undefined],
    ['image/png;v=2', undefined],
  ])
})

test('a charset of UTF-8 is accepted; a parameter of an offer must be equal (§12.5.1)', () => {
  expectTypes([
    ['application/json;charset=utf-8', json],
    ['application/json; charset="UTF-8"', json],
    ['application/json;charset=iso-8859-1', undefined],
  ])
  const versions = ['text/plain;format=flowed', 'text/plain']
  assert.equal(negotiateMediaType('text/plain;format=fixed', versions), versions[1])
  assert.equal(negotiateMediaType('text/plain;format=fixed', [versions[0] as string]), undefined)
  assert.equal(negotiateMediaType('text/plain;q=0.1, text/plain;format=flowed', versions), versions[0])
  assert.equal(negotiateMediaType('text/plain;format=flowed;q=0, text/plain', versions), versions[1])
  assert.equal(negotiateMediaType('text/plain', versions), versions[0])
})

test('malformed members count as not sent (§12.5.1)', () => {
  expectTypes([
    ['application/json;q=2, image/png', undefined],
    ['application/json;q=0.1234, image/png', undefined],
    ['application/json;q=-1, image/png', undefined],
    ['application/json;q=, image/png', undefined],
    ['application/json;q=1.001, image/png', undefined],
    ['json, application/json x, text/html', html],
    ['garbage', json],
  ])
})

test('a browser’s Accept gets the page for people (§12.5.1)', () => {
  expectTypes([['text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8', html]])
})

test('where nothing is offered nothing is chosen', () => {
  assert.equal(negotiateMediaType(undefined, []), undefined)
  assert.equal(negotiateMediaType('text/html', []), undefined)
})

const codings = ['br', 'zstd', 'gzip']

function expectCodings(table: readonly (readonly [string | undefined, string | undefined])[]): void {
  for (const [acceptEncoding, chosen] of table) {
    const label = `Accept-Encoding: ${acceptEncoding}`
    assert.equal(negotiateCoding(acceptEncoding, codings), chosen, label)
  }
}

test('without Accept-Encoding, or with an empty one, nothing is encoded (RFC 9110 §12.5.3)', () => {
  expectCodings([
    [undefined, 'identity'],
    ['', 'identity'],
    [' ', 'identity'],
  ])
})

test('the highest weight wins, then the server’s order (§12.5.3)', () => {
  expectCodings([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['*, br;q=0', 'zstd'],
    ['deflate', 'identity'],
    ['gzip;q=0', 'identity'],
    ['br;q=0.001', 'br'],
  ])
})

test('x-gzip is gzip (RFC 9110 §8.4.1.3)', () => {
  expectCodings([
    ['x-gzip', 'gzip'],
    ['x-gzip;q=0.2, br;q=0.1', 'gzip'],
  ])
})

test('identity wins only with a strictly higher weight (§12.5.3)', () => {
  expectCodings([
    ['identity, gzip', 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity, gzip;q=0.9', 'identity'],
    ['*;q=0.5, br;q=0.1, zstd;q=0.1, gzip;q=0.1', 'identity'],
  ])
})

test('identity can be excluded, by name or by a wildcard (§12.5.3)', () => {
  expectCodings([
    ['identity;q=0', undefined],
    ['*;q=0', undefined],
    ['deflate, *;q=0', undefined],
    ['identity;q=0, gzip', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['*;q=0, identity', 'identity'],
    ['*;q=0, identity;q=0.1', 'identity'],
    ['identity;q=0, *', 'br'],
  ])
})

test('malformed codings count as not sent (§12.5.3)', () => {
  expectCodings([
    ['br;q=9, gzip', 'gzip'],
    ['gzip;q=9, *', 'br'],
    ['br;level=3, gzip', 'gzip'],
    ['br;q=1;level=3, gzip', 'gzip'],
    ['br zstd, gzip', 'gzip'],
    [';q=1', 'identity'],
    ['"br"', 'identity'],
  ])
})

test('any string leads to an offer, to identity or to nothing', () => {
  const piece = fc.constantFrom('a/b', 'c/d', '*/*', 'br', '*', ',', ';q=', '0', '1', '.5', '"', ' ')
  const text = fc.array(piece).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (value) => {
      assert.ok(['a/b', 'c/d', undefined].includes(negotiateMediaType(value, ['a/b', 'c/d'])))
      assert.ok(['br', 'identity', undefined].includes(negotiateCoding(value, ['br'])))
    }),
    { numRuns: cases(20_000) },
  )
})
