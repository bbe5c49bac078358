/** Creates the pictures of the demo in `docs/screenshots`: `npm run screenshots`. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser, signInAsAdmin, visitor } from './browser.ts'
import { colorSchemes, type Screenshot, screenshotHeight, screenshots } from './screenshot-list.ts'
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

// Something for the pictures of /status to show.
for (let round = 0; round < 40; round += 1) await shop.request('GET /products')

const uriOf: Readonly<Record<Screenshot['page'], string>> = {
  home: '/',
  collection: '/articles',
  item: String(uris[0]),
  docs: '/docs',
  status: '/status',
}
for (const scheme of colorSchemes) {
  const { page, context } = await visitor(shop.url, { scheme })
  await signInAsAdmin(page)
  for (const picture of screenshots.filter((each) => each.scheme === scheme)) {
    await page.setViewportSize({ width: picture.width, height: screenshotHeight })
    await page.goto(uriOf[picture.page])
    await page.screenshot({ path: join(folder, picture.file) })
  }
  await context.close()
}
await (await openBrowser()).close()
await shop[Symbol.asyncDispose]()
