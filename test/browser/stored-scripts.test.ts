/** Stored files with scripts in a real browser: opened or embedded in any way, none runs on the origin of the service. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { anyone, file, resource, service, text } from '../../src/index.ts'
import { png } from '../features/files/gallery.ts'
import { serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Files',
  resources: {
    tasks: resource({ title: text(), cover: file({ types: ['*/*'], max: '1 MB' }).optional() }, { access }),
  },
})

/** What a script on the origin could do: read and write its storage, and send requests with its cookies. */
const harm = 'localStorage.ran = "yes"; document.cookie = "ran=yes; path=/"; fetch("/ran")'
const html = `<!doctype html><script>${harm}</script><img src="x" onerror='${harm}'>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload='${harm}'><script>${harm}</script></svg>`

const contents: readonly (readonly [type: string, content: string | Buffer])[] = [
  ['text/html', html],
  ['application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml"><script>${harm}</script></html>`],
  ['image/svg+xml', svg],
  ['text/javascript', harm],
  ['application/json', harm],
  // The same octets under types that are shown.
  ['text/plain', html],
  ['text/css', harm],
  ['image/png', Buffer.concat([png, Buffer.from(html)])],
]

/** Elements that load a URI, by the attribute that names it. */
const elements = { iframe: 'src', script: 'src', object: 'data', embed: 'src', img: 'src' }

/** A page of the same origin without a policy, so that only the fields of the files protect it. */
const embeddingPage = '/embedding-page'
/** The script itself, served as one: proves that the test would see it run. */
const realScript = '/real-script'

test('stored HTML, SVG and JavaScript run no script on the origin, opened or embedded', {
  skip,
}, async () => {
  await using site = await serve(definition)
  const { page, context } = await visitor(site.url)
  const requests: string[] = []
  context.on('request', (request) => void requests.push(new URL(request.url()).pathname))
  await context.route(`**${embeddingPage}`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><body></body>' }),
  )
  await context.route(`**${realScript}`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: harm }),
  )
  const hasRun = async () => {
    await page.goto(embeddingPage)
    const stored = await page.evaluate('localStorage.ran === "yes"')
    const cookies = (await context.cookies()).some(({ name }) => name === 'ran')
    return { stored, cookies, requested: requests.includes('/ran') }
  }
  for (const [type, content] of contents) {
    const task = (await site.request('POST /tasks', {}, { title: type })).fields.location
    const uri = `${task}/cover`
    const sent = await site.request(`PUT ${uri}`, { 'content-type': type }, content)
    assert.equal(sent.status, 201, sent.text)
    await open(page, uri)
    assert.deepEqual(await hasRun(), { stored: false, cookies: false, requested: false }, `${type} opened`)
    for (const [element, attribute] of Object.entries(elements)) {
      await embed(page, { element, attribute, uri })
    }
    assert.deepEqual(await hasRun(), { stored: false, cookies: false, requested: false }, `${type} embedded`)
  }
  await embed(page, { element: 'script', attribute: 'src', uri: realScript })
  assert.deepEqual(await hasRun(), { stored: true, cookies: true, requested: true })
  await context.close()
})

/** Opens the file in the tab: it is shown, or downloaded. */
async function open(page: Page, uri: string): Promise<void> {
  const downloaded = page.waitForEvent('download').then(
    () => 'downloaded',
    () => 'not downloaded',
  )
  try {
    await page.goto(uri)
  } catch (error) {
    assert.match(String(error), /Download is starting|ERR_ABORTED/)
    assert.equal(await downloaded, 'downloaded')
  }
}

interface Embedding {
  readonly element: string
  readonly attribute: string
  readonly uri: string
}

/** Adds the element to the page, and waits until it has loaded, failed or become a download. */
async function embed(page: Page, { element, attribute, uri }: Embedding): Promise<void> {
  const ended = page.evaluate(`new Promise((resolve) => {
    const element = document.createElement('${element}')
    element.onload = element.onerror = ({ type }) => resolve(type)
    element.${attribute} = '${uri}'
    document.body.append(element)
  })`)
  const downloaded = page.waitForEvent('download', { timeout: 0 })
  await Promise.race([ended, downloaded])
}
