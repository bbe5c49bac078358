/** The demo under /api of a Fastify application. A hook passes requests on before content is parsed. */

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
app.get('/', async () => 'My page')
await app.ready()

export const server = app.server

if (import.meta.main) await app.listen({ port: 3000 })
