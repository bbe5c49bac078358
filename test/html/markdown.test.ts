/** Markdown on HTML pages: what is rendered, and that no text becomes markup of its own. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '../../src/html/markup/markdown.ts'
import { anyone, resource, service, text } from '../../src/index.ts'
import { serve } from '../service.ts'

test('paragraphs, headings, lists, quotations, code, emphasis and links are rendered', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['a\nb\n\nc', '<p>a\nb</p><p>c</p>'],
    ['## A *b*', '<p><strong>A <em>b</em></strong></p>'],
    ['a\n- b\n* c\n1. d\n2) e', '<p>a</p><ul><li>b</li><li>c</li></ul><ol><li>d</li><li>e</li></ol>'],
    ['> a\n> b', '<blockquote><p>a\nb</p></blockquote>'],
    ['```js\n**a** <b>\n```\nc', '<pre tabindex="0"><code>**a** &lt;b&gt;</code></pre><p>c</p>'],
    ['```\na', '<pre tabindex="0"><code>a</code></pre>'],
    ['**a `b`**', '<p><strong>a <code>b</code></strong></p>'],
    ['**bold *and* em** c', '<p><strong>bold <em>and</em> em</strong> c</p>'],
    ['**bold *and***', '<p><strong>bold <em>and</em></strong></p>'],
    ['*em **and** bold* c', '<p><em>em <strong>and</strong> bold</em> c</p>'],
    ['*a* **b** *c*', '<p><em>a</em> <strong>b</strong> <em>c</em></p>'],
    ['**a** * **b**', '<p><strong>a</strong> * <strong>b</strong></p>'],
    ['2 * 3 * 4', '<p>2 * 3 * 4</p>'],
    [
      '[a](https://example.org/?b=1&c)',
      '<p><a href="https://example.org/?b=1&amp;c" rel="noopener noreferrer nofollow">a</a></p>',
    ],
    ['', ''],
  ]
  for (const [given, expected] of cases) assert.equal(renderMarkdown(given), expected)
})

test('no text becomes markup, an attribute or a link with another scheme', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '**<img src=x onerror=alert(1)>**',
    '[a](javascript:alert(1))',
    '[a](JAVASCRIPT:alert(1))',
    '[a](data:text/html,x)',
    '[a](//example.org)',
    '[<b>](https://example.org/"onmouseover="alert(1))',
    '![a](https://example.org/a.png)',
    '`<b>` > <b>',
    '```\n</code></pre><script>',
  ]
  const known =
    /<(?:\/?(?:p|strong|em|code|pre|ul|ol|li|blockquote|a)|pre tabindex="0"|a href="https:\/\/[^"<>]*" rel="noopener noreferrer nofollow")>/g
  for (const given of hostile) {
    const rest = renderMarkdown(given).replaceAll(known, '')
    assert.doesNotMatch(rest, /[<>"]/, given)
  }
})

test('unclosed marks take time in proportion to the length', () => {
  for (const mark of ['`', '*', '**', '[', '[a](https://', '> ', '- ', '```\n', '# ', '*a', '**a*b', '[a']) {
    const times = [20_000, 200_000].map((length) => {
      const given = mark.repeat(length / mark.length)
      const start = process.cpuUsage().user
      renderMarkdown(given)
      return process.cpuUsage().user - start
    })
    // Quadratic time would be a hundred times as long; the constant allows for the resolution of the clock.
    assert.ok((times[1] as number) < 40 * (times[0] as number) + 500_000, `${mark}: ${times}`)
  }
})

test('an item shows a text as Markdown, a table shows its beginning as text', async () => {
  const access = { read: anyone, create: anyone }
  const notes = resource({ title: text(), body: text({ max: 400, format: 'markdown' }) }, { access })
  await using site = await serve(service({ title: 'Notes', resources: { notes } }))
  const { json } = await site.request('POST /notes', {}, { title: 'A', body: '**b** <i>' })
  const item = await site.request(`GET /notes/${json.id}`, { accept: 'text/html' })
  assert.match(item.text, /<dd><div class="markdown"><p><strong>b<\/strong> &lt;i&gt;<\/p><\/div><\/dd>/)
  const table = await site.request('GET /notes', { accept: 'text/html' })
  assert.match(table.text, /<td>\*\*b\*\* &lt;i&gt;<\/td>/)
  const { json: schema } = await site.request('GET /schemas/notes')
  assert.equal(schema.properties.body.contentMediaType, 'text/markdown')
  assert.equal((await site.request(`GET /notes/${json.id}`)).json.body, '**b** <i>')
})
