/** The demo under /api of a Fastify application, with a page that knows who asks for it. A hook passes requests on before content is parsed. */

import fastify from 'fastify'
import { openService } from 'restwell'
import definition from '../shop.ts'

export const service = await openService(definition, { database: 'file::memory:', base: '/api' })

const app = fastify()
app.addHook('onRequest', (request, reply, done) => {
  if (!/^\/api(?:[/?]|$)/.test(request.url)) return done()
  reply.hijack()
  service.listener(request.raw, reply.raw)
})
// Fastify sends a standard Response.
app.get('/', async ({ raw }) => {
  const me = await service.authenticate(raw)
  if (me instanceof Response) return me
  const articles = await service.as(me).articles.count()
  return `My page for ${me.id ?? 'guests'}: ${articles} articles`
})
await app.ready()

export const server = app.server

if (import.meta.main) await app.listen({ port: 3000 })
