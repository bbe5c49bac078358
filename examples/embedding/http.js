/** The demo under /api of a plain node:http server, with a page that knows who asks for it. */

import { createServer } from 'node:http'
import { openService } from 'restwell'
import definition from '../shop.ts'

export const service = await openService(definition, { database: 'file::memory:', base: '/api' })

export const server = createServer(async (request, response) => {
  if (/^\/api(?:[/?]|$)/.test(request.url ?? '')) return service.listener(request, response)
  const me = await service.authenticate(request)
  if (me instanceof Response) return service.send(me, response)
  const articles = await service.as(me).articles.count()
  response.end(`My page for ${me.id ?? 'guests'}: ${articles} articles`)
})

if (import.meta.main) server.listen(3000)
