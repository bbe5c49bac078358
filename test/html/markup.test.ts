/** The template tag: what is put in is text, and stays text. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { html } from '../../src/html/markup/markup.ts'
import { cases } from '../cases.ts'

test('values in a template are escaped between tags and in attributes', () => {
  const hostile = `"><script>alert('x')</script>&amp;`
  const written = html`<p title="${hostile}">${hostile}</p>`.text
  const text = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;'
  assert.equal(written, `<p title="${text}">${text}</p>`)
})

test('the markup of a template is inserted into others unchanged', () => {
  const inner = html`<b>${'<'}</b>`
  assert.equal(html`<p>${inner}${[inner, '>']}</p>`.text, '<p><b>&lt;</b><b>&lt;</b>&gt;</p>')
})

test('absent and false parts leave nothing, zero is a number', () => {
  assert.equal(html`[${undefined}${false}${0}${html``}]`.text, '[0]')
})

test('no text whatever adds a tag or ends an attribute', () => {
  const seed = Date.now() % 1_000_000
  console.log(`seed ${seed}`)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = html`<p title="${text}">${text}</p>`.text
      assert.equal(written.match(/[<>"]/g)?.join(''), '<"">' + '<>')
    }),
    { seed, numRuns: cases(500) },
  )
})
