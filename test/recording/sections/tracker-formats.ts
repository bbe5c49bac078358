/** Lists, sub-collections, items and pages of the tracker, in every format, for members of both organisations. */

import { openTracker } from '../worlds.ts'
import type { Section } from './sections.ts'
import { formats } from './shop-formats.ts'

const collections = [
  'organisations',
  'memberships',
  'projects',
  'tasks',
  'labels',
  'comments',
  'entries',
  'users',
]

export const trackerFormats: Section = {
  name: 'tracker-formats',
  open: openTracker,
  async play(p) {
    const [rocket, engine] = [p.id('projects'), p.id('tasks')]
    const paths = [
      '/',
      '/projects',
      `/projects/${rocket}`,
      '/tasks',
      `/tasks/${engine}`,
      `/projects/${rocket}/tasks`,
      `/tasks/${engine}/history`,
      `/organisations/acme`,
    ]
    for (const path of paths) {
      for (const as of ['member', 'manager', 'other']) {
        for (const format of formats) await p.send(`GET ${path}?format=${format}`, { as })
      }
    }
    for (const name of collections) {
      for (const as of [undefined, 'viewer', 'admin']) await p.send(`GET /${name}`, as ? { as } : {})
      await p.send(`GET /${name}`, { as: 'manager', accept: 'text/html', 'accept-language': 'de' })
      const id = name === 'organisations' ? 'acme' : p.id(name)
      await p.send(`GET /${name}/${id}`, { as: 'manager', accept: 'text/html' })
      await p.send(`GET /${name}/${id}`, { as: 'other' })
      await p.send(`GET /forms/${name}`, { as: 'manager', accept: 'text/html' })
      await p.send(`GET /forms/${name}/${id}`, { as: 'manager', accept: 'text/html' })
      await p.send(`GET /schemas/${name}`, { as: 'member' })
      await p.send(`OPTIONS /${name}/${id}`)
    }
    await p.send('GET /openapi.json', { as: 'member' })
    for (const path of ['/schemas/tasks', '/docs'])
      await p.send(`GET ${path}?api-version=v1`, { as: 'member' })
    await p.send('GET /client.d.ts', { as: 'member' })
    await p.send('GET /docs', { as: 'member', accept: 'text/html' })
    for (const path of [
      `/projects/${rocket}/labels`,
      `/tasks/${engine}/entries`,
      `/tasks/${engine}/comments`,
      '/organisations/acme/memberships',
      '/organisations/bolt/projects',
      '/organisations/none/projects',
      `/tasks/${engine}/labels`,
      `/tasks/${engine}/assign`,
      `/tasks/${engine}/attachments`,
    ]) {
      await p.send(`GET ${path}`, { as: 'member' })
      await p.send(`OPTIONS ${path}`)
    }
  },
}
