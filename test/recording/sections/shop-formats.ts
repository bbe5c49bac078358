/** Every page of the demo, in every format, for every caller. */

import { openShop } from '../worlds.ts'
import type { Section } from './sections.ts'

export const formats = ['json', 'hal', 'hal-forms', 'xml', 'csv', 'ndjson', 'html'] as const

export const shopFormats: Section = {
  name: 'shop-formats',
  open: openShop,
  async play(p) {
    const [hello, draft, ada] = [p.id('articles'), p.id('articles', 1), p.id('users', 1)]
    const paths = [
      '/',
      '/users',
      '/articles',
      '/products',
      `/articles/${hello}`,
      `/users/${ada}`,
      '/products/MUG-1',
    ]
    for (const path of paths) {
      for (const as of [undefined, 'member', 'editor', 'admin']) {
        for (const format of formats) await p.send(`GET ${path}?format=${format}`, as ? { as } : {})
      }
    }
    for (const as of [undefined, 'member', 'editor', 'admin']) {
      for (const format of formats) await p.send(`GET /articles/${draft}?format=${format}`, as ? { as } : {})
    }
  },
}
