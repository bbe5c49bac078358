/** The demo under /api of a Hono application on Node, with a page that knows who asks for it. */

import { createAdaptorServer } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { openService } from 'restwell'
import definition from '../shop.ts'

export const service = await openService(definition, { database: 'file::memory:', base: '/api' })

const app = new Hono()
app.all('/api/*', ({ env }) => {
  service.listener(env.incoming, env.outgoing)
  return RESPONSE_ALREADY_SENT
})
app.get('/', async (context) => {
  const me = await service.authenticate(context.env.incoming)
  if (me instanceof Response) return me
  const articles = await service.as(me).articles.count()
  return context.text(`My page for ${me.id ?? 'guests'}: ${articles} articles`)
})

export const server = createAdaptorServer(app)

if (import.meta.main) server.listen(3000)
