/** Every path of the demo with every method, without content. */

import { openShop } from '../worlds.ts'
import type { Section } from './sections.ts'

const methods = ['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'TRACE', 'get', 'FOO']

export const shopMethods: Section = {
  name: 'shop-methods',
  open: openShop,
  async play(p) {
    const [hello, draft, ada] = [p.id('articles'), p.id('articles', 1), p.id('users', 1)]
    const paths = [
      '/',
      '/articles',
      `/articles/${hello}`,
      `/articles/${draft}`,
      `/users/${ada}`,
      '/products/MUG-1',
      '/products/NONE',
      '/events',
      '/batch',
      '/tokens',
      '/docs',
      '/schemas/articles',
      '/problems/gone',
      '/sign-in',
      '/sign-out',
      '/forms/articles',
      `/forms/articles/${hello}`,
      '/health/live',
      '/nothing',
    ]
    for (const path of paths) {
      for (const method of methods) await p.send(`${method} ${path}`)
    }
    for (const path of [
      '/articles',
      `/articles/${hello}`,
      '/products/NONE',
      '/tokens',
      '/batch',
      `/forms/articles/${hello}`,
    ]) {
      for (const method of methods)
        if (method !== 'DELETE') await p.send(`${method} ${path}`, { as: 'editor' })
    }
    for (const path of [
      '/articles/',
      '/articles/?limit=1',
      '/Articles',
      '/article',
      '/users/%00',
      '/users/%zz',
      '/%75sers',
      '/products/MUG%2F1',
      '/products/../users',
      '/products/MUG-1/',
      '/products/MUG-1/nothing',
      '//',
      '/articles//',
      `/articles/${hello}/author`,
      `/articles/${hello.toUpperCase()}`,
      '/articles/%FF',
      '/%',
      '/?x',
      '/articles?',
      '/articles?&',
      '/articles?limit=1&limit=2',
      `/articles?q=${'a'.repeat(1100)}`,
      `/${'a'.repeat(9000)}`,
    ]) {
      for (const method of ['GET', 'POST']) await p.send(`${method} ${path}`)
    }
    await p.send('OPTIONS *')
  },
}
