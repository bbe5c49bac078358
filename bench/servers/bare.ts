/** The limit of node:http: the same answers and header fields, from memory, without any work. */

import { note } from '../scenario.ts'
import { listen, send } from './fields.ts'

const id = '01890000-0000-7000-8000-000000000000'
const time = '2026-01-31T12:00:00.000Z'
const item = JSON.stringify({ id, ...note, createdAt: time, updatedAt: time })
const list = `[${Array.from({ length: 20 }, () => item).join()}]`

listen((request, response) => {
  if (request.method === 'GET') {
    const lists = request.url?.startsWith('/notes?')
    const scenario = lists ? 'list of 20' : 'item GET'
    send(response, { scenario, status: 200, body: lists ? list : item })
    return
  }
  const creates = request.method === 'POST'
  const scenario = creates ? 'create' : 'patch'
  request.resume()
  request.on('end', () => send(response, { scenario, status: creates ? 201 : 200, body: item }))
})
