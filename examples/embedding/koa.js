/** The demo under /api of a Koa application. */

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
app.use((context) => {
  context.body = 'My page'
})

export const server = createServer(app.callback())

if (import.meta.main) server.listen(3000)
