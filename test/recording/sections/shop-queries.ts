/** Filters, orders, pages, QUERY and aggregates of the demo. */

import { openShop } from '../worlds.ts'
import type { Section } from './sections.ts'

const ofProducts = [
  'price=4.50',
  'price=4.5',
  'price[gte]=10',
  'price[lt]=12',
  'price=x',
  'stock[ne]=0',
  'stock[in]=0,35',
  'stock[gt]=1&stock[lte]=120',
  'stock=1.5',
  'sku[in]=MUG-1,POT-2',
  'name[contains]=TEA',
  'name[starts]=m',
  'name[contains]=ß',
  'name[missing]=true',
  'name[missing]=maybe',
  'name[has]=x',
  'id=MUG-1',
  'createdAt[lte]=2026-11-02T09:00:00Z',
  'createdAt[gt]=2026-11-02T09:00:00Z',
  'createdAt=now',
  'nam=x',
  'name[nothing]=x',
  'name[=x',
  'sort=name',
  'sort=-price,name',
  'sort=nothing',
  'sort=name,name',
  'sort=',
  'fields=name',
  'fields=name,price&sort=-stock',
  'fields=nothing',
  'fields=',
  'limit=1',
  'limit=0',
  'limit=1001',
  'limit=x',
  'after=x',
  'before=x',
  'q=tea',
  'embed=author',
  'group-by=stock&aggregate=count',
  'aggregate=price.sum,price.avg,price.min,price.max,stock.sum,count',
  'aggregate=name.sum',
  'aggregate=',
  'group-by=name',
  'group-by=createdAt.month&aggregate=count',
  'group-by=createdAt.day&aggregate=count,stock.avg&sort=-count',
  'aggregate=count&limit=1',
  'name=a&'.repeat(21),
  `stock[in]=${'1,'.repeat(101)}`,
  'dry-run=true',
  'api-version=v1',
]

const ofArticles = [
  'q=http',
  'q=HTTP verbs',
  'q=verbs nothing',
  'q=',
  'tags[has]=rest',
  'tags=rest',
  'status=published',
  'status=nothing',
  'status[in]=draft,published',
  'author.name=Ada',
  'author.email=ada@example.org',
  'author.email[missing]=true',
  'author.nothing=1',
  'author.author.author.name=Ada',
  'embed=author',
  'embed=author&fields=title,author',
  'embed=nothing',
  'sort=author.name',
  'sort=-author.name,title&embed=author',
  'sort=author.email',
  'body[missing]=true',
  'group-by=author&aggregate=count',
  'group-by=status&aggregate=count&sort=-status',
  'group-by=author.name&aggregate=count',
  'fields=title,status',
]

const queries = [
  { stock: 35 },
  { stock: { gte: 35, lt: 100 } },
  { any: [{ sku: 'MUG-1' }, { name: { contains: 'tea' } }] },
  { all: [{ stock: { ne: 0 } }], not: { sku: 'MUG-1' } },
  { not: { any: [{ stock: 0 }, { price: '12.00' }] } },
  { nothing: 1 },
  { stock: '35' },
  { stock: { nothing: 1 } },
  { price: { in: ['4.50', '39.90'] } },
  { name: { missing: false } },
  {},
  [],
]

/** Groups have a URI of their own. */
function uriOf(list: string, query: string): string {
  return `${list}${/(^|&)(group-by|aggregate)=/.test(query) ? '/-/aggregate' : ''}?${query}`
}

export const shopQueries: Section = {
  name: 'shop-queries',
  open: openShop,
  async play(p) {
    for (const query of ofProducts) await p.send(`GET ${uriOf('/products', encodeURI(query))}`)
    for (const query of ofArticles) {
      await p.send(`GET ${uriOf('/articles', encodeURI(query))}`)
      await p.send(`GET ${uriOf('/articles', encodeURI(query))}`, { as: 'admin' })
    }
    for (const query of [
      'sort=-price',
      'aggregate=count,stock.sum&group-by=name',
      'embed=nothing',
      'fields=name&limit=1',
      'name[contains]=t',
    ]) {
      for (const format of ['hal', 'hal-forms', 'xml', 'csv', 'ndjson', 'html'])
        await p.send(`GET ${uriOf('/products', query)}&format=${format}`)
    }
    for (const format of ['hal', 'hal-forms', 'xml', 'csv'])
      await p.send(`GET /articles?embed=author&format=${format}`, { as: 'editor' })

    for (const [order, limit] of [
      ['name', 1],
      ['-price', 2],
      ['stock,-name', 1],
    ] as const) {
      let next: string | undefined = `/products?sort=${order}&limit=${limit}`
      let last = next
      while (next) {
        last = next
        const page = await p.send(`GET ${next}`)
        next = /<([^>]*)>; rel="next"/.exec(page.fields.link ?? '')?.[1]
      }
      const previous = /<([^>]*)>; rel="prev"/.exec((await p.send(`GET ${last}`)).fields.link ?? '')?.[1]
      if (previous) await p.send(`GET ${previous}`)
      if (previous) await p.send(`GET ${previous.replace('products', 'articles')}`)
      if (previous) await p.send(`GET ${previous.replace(/sort=[^&]*/, 'sort=sku')}`)
    }

    for (const query of queries) await p.send('QUERY /products', {}, query)
    for (const format of ['xml', 'csv', 'html', 'hal-forms', 'ndjson'])
      await p.send(
        `QUERY /products?sort=-name&limit=1&format=${format}`,
        {},
        { any: [{ stock: 35 }, { stock: 0 }] },
      )
    await p.send('QUERY /products/-/aggregate?aggregate=count,stock.max', {}, { stock: { gt: 0 } })
    await p.send('QUERY /products?aggregate=count', {}, { stock: { gt: 0 } })
    for (const line of ['GET /products?group%2Dby=name', 'HEAD /products?aggregate=count']) await p.send(line)
    for (const line of ['POST /products/-/aggregate', 'GET /products/-/nothing']) await p.send(line)
    await p.send('QUERY /articles?embed=author&limit=1', { as: 'admin' }, { tags: { has: 'http' } })
    await p.send('QUERY /articles', { as: 'admin' }, { 'author.name': 'Ada' })
    await p.send('QUERY /products', { 'content-type': 'text/plain' }, 'stock')
    await p.send('QUERY /products', { 'content-type': 'application/json' }, '{"stock":')
    await p.send('QUERY /products', { 'content-type': 'application/x-www-form-urlencoded' }, 'stock=35')
    await p.send('QUERY /products')
    await p.send(
      'QUERY /products',
      { 'content-type': 'application/json' },
      `{"name":"${'a'.repeat(70_000)}"}`,
    )
    await p.send('QUERY /users', {}, { email: 'ada@example.org' })
    await p.send('QUERY /users', { as: 'admin' }, { email: 'ada@example.org' })
    for (const as of [undefined, 'member', 'admin'] as const) {
      const caller = as ? { as } : {}
      for (const query of [
        'email=ada@example.org',
        'sort=email',
        'role=admin',
        'fields=email',
        'disabled=false',
        'sort=-name&limit=2',
        'password=x',
      ]) {
        await p.send(`GET /users?${query}`, caller)
      }
    }
  },
}
