/** A service without accounts, below a path, with moved documents. */

import { openTown } from '../worlds.ts'
import type { Section } from './sections.ts'
import { formats } from './shop-formats.ts'

export const townSection: Section = {
  name: 'town',
  open: openTown,
  async play(p) {
    const fair = `/town/events/${p.id('events')}`
    for (const path of ['/town', '/town/events', fair, '/town/changes', '/town/places', '/town/together']) {
      for (const format of formats) await p.send(`GET ${path}?format=${format}`)
    }
    for (const path of [
      '/',
      '/town/',
      '/events',
      '/town/tokens',
      '/town/sign-in',
      '/town/audit',
      '/town/metrics',
      '/town/schemas/events',
      '/town/relations/changes',
      '/town/batch',
      '/health/live',
      '/town/health/live',
      '/town/.well-known/api-catalog',
      '/.well-known/api-catalog',
      '/town/client.js',
      '/town/webhooks',
    ]) {
      await p.send(`GET ${path}`)
      await p.send(`OPTIONS ${path}`)
    }
    await p.send('GET /town/events', { authorization: 'Basic eDp5' })
    await p.send('GET /town/events', { authorization: 'Bearer x' })
    for (const body of [{}, { title: 'Market' }, { title: 1 }]) await p.send('POST /town/events', {}, body)
    await p.send('POST /town/places', {}, { name: 'New' })
    await p.send(`PATCH /town/places/${p.id('places')}`, {}, { name: 'New' })
    await p.send(`PATCH ${fair}`, {}, { title: 'Big fair' })
    await p.send(
      'POST /town/together',
      {},
      {
        requests: [
          { method: 'PATCH', path: fair, body: { place: 'Square' } },
          { method: 'PATCH', path: fair.slice(5), body: {} },
        ],
      },
    )
    await p.send(
      'POST /town/together',
      {},
      { requests: [{ method: 'PATCH', path: fair, body: { place: 'Square' } }] },
    )
    await p.send(`GET /town/forms${fair.slice(5)}`, { accept: 'text/html' })
    await p.follow('/town/changes', {}, [() => p.send(`PATCH ${fair}`, {}, { title: 'Followed' })])
    await p.send(`DELETE ${fair}`)
    await p.send(`GET ${fair}`)
    await p.send(`GET ${fair}`, { accept: 'text/html' })
    await p.send('GET /town/openapi.json')
  },
}
