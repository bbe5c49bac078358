/** The demo under /api of a plain node:http server with pages of its own. */

import { createServer } from 'node:http'
import { openService } from 'restwell'
import definition from '../shop.ts'

export const service = await openService(definition, { database: 'file::memory:', base: '/api' })

export const server = createServer((request, response) => {
  if (/^\/api(?:[/?]|$)/.test(request.url ?? '')) service.listener(request, response)
  else response.end('My page')
})

if (import.meta.main) server.listen(3000)
