/** Field lines of responses: RFC 9110 §5.1 and §5.5, on their way out. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatFieldLine } from '../../src/server/write-response.ts'

function linesOf(...fields: readonly (readonly [name: string, value: string])[]): string {
  return fields.map(([name, value]) => formatFieldLine(name, value)).join('')
}

describe('the lines of a response', () => {
  it('come in the order they are added, each with its end', () => {
    const text = linesOf(['Vary', 'Accept'], ['ETag', '"a"'], ['Request-Id', 'r'])
    assert.equal(text, 'Vary: Accept\r\nETag: "a"\r\nRequest-Id: r\r\n')
  })

  it('say what they are given, whatever was said before', () => {
    for (const value of ['no-cache', 'no-store', 'no-cache', 'no-cache']) {
      assert.equal(linesOf(['Cache-Control', value]), `Cache-Control: ${value}\r\n`)
    }
    const twice = linesOf(['Set-Cookie', 'a=1'], ['Set-Cookie', 'b=2'])
    assert.equal(twice, 'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n')
  })

  it('may have tabs and all octets beyond ASCII', () => {
    assert.equal(linesOf(['Link', 'a\tb é ÿ']), 'Link: a\tb é ÿ\r\n')
    assert.equal(linesOf(['X-Text', 'a\tb é ÿ']), 'X-Text: a\tb é ÿ\r\n')
  })

  const controls = [...Array(0x20).keys(), 0x7f].filter((code) => code !== 0x09)
  for (const name of ['ETag', 'Link', 'Location', 'Content-Location', 'Request-Id', 'X-Text']) {
    it(`have no control but the tab, and nothing but octets: ${name}`, () => {
      const fault = { name: 'TypeError', message: `Not a field value for ${name}.` }
      const characters = [...controls.map((code) => String.fromCharCode(code)), 'Ā', 'Ċ', '€', '😀']
      for (const character of characters) {
        assert.throws(() => formatFieldLine(name, `a${character}b`), fault)
        // What was refused is not remembered.
        assert.throws(() => formatFieldLine(name, `a${character}b`), fault)
      }
      assert.equal(formatFieldLine(name, 'a'), `${name}: a\r\n`)
    })
  }

  it('have tokens for names', () => {
    for (const name of ['', 'a b', 'a:', 'a\r\nb', 'ä', 'a(b)']) {
      assert.throws(() => linesOf([name, 'x']), /Not a field name/)
    }
  })

  it('are right for more names than are remembered', () => {
    for (let n = 0; n < 1000; n += 1) {
      const value = String(n)
      assert.equal(linesOf([`X-Name-${n}`, value], ['ETag', value]), `X-Name-${n}: ${n}\r\nETag: ${n}\r\n`)
    }
    assert.throws(() => linesOf(['X-Name-999', 'a\nb']), /Not a field value for X-Name-999/)
  })
})
