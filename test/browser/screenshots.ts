/** Creates the pictures of the demo at four widths, of which the documents show 1440 px: `npm run screenshots`. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser, signInAsAdmin, visitor } from './browser.ts'
import { as, openShop } from './shop.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'screenshots')
mkdirSync(folder, { recursive: true })

const shop = await openShop(40)
const articles = [
  {
    slug: 'verbs',
    title: 'HTTP has the verbs',
    body: 'Bring the nouns, and the rest is there already.',
    tags: ['http', 'rest'],
  },
  {
    slug: 'tags',
    title: 'Why every item has a tag',
    body: 'So that nobody overwrites what they have not seen.',
    tags: ['etag'],
  },
  { slug: 'links', title: 'Follow the links', tags: ['hypermedia', 'rest'] },
]
const uris: string[] = []
for (const article of articles) {
  const created = await shop.request('POST /articles', as('editor'), article)
  uris.push(String(created.fields.location))
}
await shop.request(`PATCH ${uris[0]}`, as('editor'), { status: 'published' })

// Something for the pictures of /status to show: a minute and a half of uneven work.
const until = Date.now() + 90_000
while (Date.now() < until) {
  const many = 5 + Math.round(40 * Math.abs(Math.sin(Date.now() / 9000)))
  await Promise.all(Array.from({ length: many }, () => shop.request('GET /products')))
  await new Promise((resolve) => setTimeout(resolve, 250))
}

for (const scheme of ['light', 'dark'] as const) {
  const { page, context } = await visitor(shop.url, { scheme })
  await signInAsAdmin(page)
  const pages = {
    home: '/',
    collection: '/articles',
    item: String(uris[0]),
    docs: '/docs',
    status: '/status',
  }
  for (const [name, uri] of Object.entries(pages)) {
    for (const width of [375, 768, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(uri)
      const suffix = width === 1440 ? '' : `-${width}`
      await page.screenshot({ path: join(folder, `${name}-${scheme}${suffix}.png`) })
    }
  }
  await context.close()
}
await (await openBrowser()).close()
await shop[Symbol.asyncDispose]()
