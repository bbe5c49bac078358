/** The demo under /api of an Express application, before body parsers: the service reads the content. */

import { createServer } from 'node:http'
import express from 'express'
import { openService } from 'restwell'
import definition from '../shop.ts'

export const service = await openService(definition, { database: 'file::memory:', base: '/api' })

const app = express()
app.use('/api', service.listener)
app.use(express.json())
app.get('/', (_request, response) => response.send('My page'))

export const server = createServer(app)

if (import.meta.main) server.listen(3000)
