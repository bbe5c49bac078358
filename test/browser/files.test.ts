/** Stored files that contain code run none of it on the origin of the service, in a real browser. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { gallery, newPicture, png } from '../files/gallery.ts'
import { serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false

/** A request for this path shows that a script has run. */
const mark = '/ran'
const code = `fetch('${mark}'); new Image().src = '${mark}'; document.title = 'ran'`
const html = `<!doctype html><title>still</title><body onload="${code}"><script>${code}</script></body>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${code}"><script>${code}</script></svg>`

const files = {
  'HTML that is declared': { type: 'text/html', content: html },
  'SVG that is declared': { type: 'image/svg+xml', content: svg },
  'XHTML as XML': { type: 'text/xml', content: html.replace('<!doctype html>', '') },
  'HTML as plain text': { type: 'text/plain', content: html },
  'HTML after the signature of a PNG': {
    type: 'image/png',
    content: Buffer.concat([png, Buffer.from(html)]),
  },
  'a script': { type: 'text/javascript', content: code },
} as const

/** All requests of the page for the mark. */
function marksOf(page: Page): readonly string[] {
  const marks: string[] = []
  page.context().on('request', (request) => {
    if (new URL(request.url()).pathname === mark) marks.push(request.url())
  })
  return marks
}

for (const [name, { type, content }] of Object.entries(files)) {
  test(`${name} runs no script, whether opened, framed, embedded or loaded`, { skip }, async () => {
    await using s = await serve(gallery)
    const item = await newPicture(s.request)
    const stored = await s.request(`PUT ${item}/image`, { 'content-type': type }, content)
    assert.equal(stored.status, 201, stored.text)
    const { page, context } = await visitor(s.url)
    const marks = marksOf(page)
    // A download ends the navigation with an error.
    await page
      .goto(`${item}/image`)
      .catch((error: Error) => assert.match(error.message, /Download|ERR_ABORTED/))
    assert.notEqual(await page.title(), 'ran')
    await page.goto(item)
    await page.evaluate(loadEverywhere(`${item}/image`))
    assert.deepEqual(marks, [])
    await context.close()
  })
}

/** Code that loads the URI in every element that could run it, until each has loaded or failed. */
function loadEverywhere(uri: string): string {
  return `Promise.all(
    Object.entries({ iframe: 'src', img: 'src', embed: 'src', object: 'data', script: 'src' }).map(
      ([name, attribute]) =>
        new Promise((resolve) => {
          const element = document.createElement(name)
          element.setAttribute(attribute, '${uri}')
          element.onload = element.onerror = resolve
          // A frame whose content is downloaded has no event.
          setTimeout(resolve, 1000)
          document.body.append(element)
        }),
    ),
  ).then(() => undefined)`
}

test('the same page runs its script where the service does not send it', { skip }, async () => {
  await using s = await serve(gallery)
  const { page, context } = await visitor(s.url)
  const marks = marksOf(page)
  await page.route('**/control', (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto('/control')
  await page.waitForFunction("document.title === 'ran'")
  assert.notEqual(marks.length, 0)
  await context.close()
})
