/** The demo under /api of an Express application. Mounted before body parsers: it reads by itself. */

import { createServer } from 'node:http'
import express from 'express'
import { openService } from 'restwell'
import definition from '../shop.ts'

export const service = await openService(definition, { database: 'file::memory:', base: '/api' })

const app = express()
app.use('/api', service.listener)
app.use(express.json())
app.get('/', (_request, response) => response.send('Mine.'))

export const server = createServer(app)

if (import.meta.main) server.listen(3000)
