/** Batches of the demo, and its changes as a feed and as streams. */

import { openShop } from '../worlds.ts'
import type { Section } from './sections.ts'

export const shopEvents: Section = {
  name: 'shop-events',
  open: openShop,
  onPostgres: true,
  async play(p) {
    const article = { slug: 'in-a-batch', title: 'In a batch' }
    const requests = (...entries: readonly unknown[]) => ({ requests: entries })
    const batches = [
      requests(
        { id: 'a', method: 'POST', path: '/articles', body: article },
        { method: 'PATCH', path: '/products/MUG-1', body: { stock: 5 } },
      ),
      requests({ id: 'a', method: 'POST', path: '/articles', body: article }),
      requests(
        { method: 'PATCH', path: '/products/MUG-1', body: { stock: 6 } },
        { method: 'PATCH', path: '/products/NONE', body: { stock: 5 } },
      ),
      requests({ path: '/products/MUG-1' }, { path: '/products/NONE', headers: { 'if-none-match': '*' } }),
      requests({ path: '/products/NONE' }),
      requests({
        method: 'PATCH',
        path: '/products/MUG-1',
        headers: { 'if-match': '"a"' },
        body: { stock: 7 },
      }),
      requests({ method: 'PUT', path: '/products/MUG-1', body: { sku: 'MUG-1', name: 'M', price: '1.00' } }),
      requests({ method: 'GET', path: '/products/MUG-1' }),
      requests({ method: 'POST', path: '/products', body: { sku: 'X' } }),
      requests({ method: 'DELETE', path: '/products/MUG-1' }),
      requests({ method: 'POST', path: '/tokens', body: {} }),
      requests({ method: 'POST', path: '/articles', body: article, bind: { '/author': 'b' } }),
      requests({ method: 'POST', path: '/nothing', body: {} }),
      requests({
        method: 'POST',
        path: '/articles',
        body: 'text',
        headers: { 'content-type': 'text/plain' },
      }),
      requests(),
      requests({}),
      requests({ nothing: 1 }),
      {},
      [],
    ]
    for (const body of batches) await p.send('POST /batch', { as: 'editor' }, body)
    await p.send('POST /batch', {}, batches[3])
    await p.send('POST /batch', { as: 'member' }, batches[0])
    await p.send('POST /batch', { as: 'editor', accept: 'application/xml' }, batches[3])
    await p.send('POST /batch', { as: 'editor', accept: 'text/html' }, batches[2])
    await p.send('POST /batch', { as: 'editor', 'content-type': 'text/plain' }, 'x')
    await p.send('POST /batch?dry-run=true', { as: 'editor' }, batches[0])
    const once = requests({ method: 'POST', path: '/articles', body: { slug: 'once', title: 'Once' } })
    for (let time = 0; time < 2; time++)
      await p.send('POST /batch', { as: 'editor', 'idempotency-key': '"b"' }, once)
    for (const format of ['json', 'html', 'hal'])
      await p.send(`GET /batch?format=${format}`, { as: 'editor' })

    for (const as of [undefined, 'member', 'editor', 'admin']) await p.send('GET /events', as ? { as } : {})
    for (const format of ['hal', 'hal-forms', 'xml', 'html', 'csv', 'ndjson'])
      await p.send(`GET /events?limit=2&format=${format}`, { as: 'admin' })
    let next = '/events?limit=3'
    for (let page = 0; page < 5; page++) {
      const received = await p.send(`GET ${next}`, { as: 'editor' })
      next = /<([^>]*)>; rel="next"/.exec(received.fields.link ?? '')?.[1] ?? next
    }
    for (const query of ['last-event-id=x', 'limit=0', 'nothing=1', 'type=x', 'last-event-id='])
      await p.send(`GET /events?${query}`)
    await p.send(`GET ${next}`, { as: 'editor', 'last-event-id': 'nonsense' })

    const hello = `/articles/${p.id('articles')}`
    const change = (title: string) => () => p.send(`PATCH ${hello}`, { as: 'editor' }, { title })
    await p.follow('/articles', {}, [change('One')])
    await p.follow('/articles?fields=title&title[contains]=two', { as: 'admin' }, [
      change('Two'),
      change('Three'),
    ])
    await p.follow(hello, { as: 'member' }, [change('Four')])
    await p.follow('/events', { as: 'admin' }, [
      () => p.send('PATCH /products/MUG-1', { as: 'editor' }, { stock: 70 }),
      () => p.send('POST /products', { as: 'editor' }, { sku: 'EVENT-1', name: 'Event', price: '1.00' }),
      () => p.send('DELETE /products/EVENT-1', { as: 'admin' }),
    ])
    const list = await p.send('GET /products')
    await p.send('PATCH /products/MUG-1', { as: 'editor' }, { stock: 71 })
    const monitor = /<([^>]*)>; rel="monitor"/.exec(list.fields.link ?? '')?.[1] ?? ''
    await p.follow(monitor, {}, [async () => undefined])
    for (const path of [
      '/articles?embed=author',
      '/products/-/aggregate?aggregate=count',
      '/nothing',
      `/articles/${p.id('articles', 1)}`,
      '/products?nothing=1',
      '/events?last-event-id=x',
    ]) {
      await p.send(`GET ${path}`, { accept: 'text/event-stream' })
    }
    for (const path of ['/tokens', '/'])
      await p.send(`GET ${path}`, { accept: 'text/event-stream', as: 'admin' })
    await p.send('HEAD /articles', { accept: 'text/event-stream' })
    await p.send('HEAD /events')
  },
}
