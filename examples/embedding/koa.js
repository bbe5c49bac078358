/** The demo under /api of a Koa application, with a page that knows who asks for it. */

import { createServer } from 'node:http'
import Koa from 'koa'
import { openService } from 'restwell'
import definition from '../shop.ts'

export const service = await openService(definition, { database: 'file::memory:', base: '/api' })

const app = new Koa()
app.use((context, next) => {
  if (!/^\/api(?:\/|$)/.test(context.path)) return next()
  context.respond = false
  service.listener(context.req, context.res)
})
app.use(async (context) => {
  const me = await service.authenticate(context.req)
  if (me instanceof Response) {
    context.respond = false
    return service.send(me, context.res)
  }
  const articles = await service.as(me).articles.count()
  context.body = `My page for ${me.id ?? 'guests'}: ${articles} articles`
})

export const server = createServer(app.callback())

if (import.meta.main) server.listen(3000)
