/** The demo under /api of an Express application, before body parsers, with a page that knows who asks for it. */

import { createServer } from 'node:http'
import express from 'express'
import { openService } from 'restwell'
import definition from '../shop.ts'

export const service = await openService(definition, { database: 'file::memory:', base: '/api' })

const app = express()
app.use('/api', service.listener)
app.use(express.json())
app.get('/', async (request, response) => {
  const me = await service.authenticate(request)
  if (me instanceof Response) return service.send(me, response)
  const articles = await service.as(me).articles.count()
  response.send(`My page for ${me.id ?? 'guests'}: ${articles} articles`)
})

export const server = createServer(app)

if (import.meta.main) server.listen(3000)
