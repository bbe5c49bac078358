/** The limit of node:http: sends the same responses and header fields from memory. */

import type { IncomingMessage } from 'node:http'
import { note } from '../note.ts'
import { type AnswerKind, listen, readContent, send } from './fields.ts'

const id = '01890000-0000-7000-8000-000000000000'
const time = '2026-01-31T12:00:00.000Z'
const item = JSON.stringify({ id, ...note, createdAt: time, updatedAt: time })
const list = `[${Array.from({ length: 20 }, () => item).join()}]`
const bodies: Readonly<Partial<Record<AnswerKind, string>>> = {
  item,
  list,
  created: item,
  patched: item,
}
const many = JSON.stringify(Array.from({ length: 1000 }, () => ({ id })))

listen((request, response) => {
  const kind = kindOf(request)
  const body = request.url === '/bulk' ? many : bodies[kind]
  const answer = () => send(response, kind, body === undefined ? {} : { body })
  if (kind === 'created' || kind === 'patched') readContent(request, answer)
  else answer()
})

function kindOf({ method, url, headers }: IncomingMessage): AnswerKind {
  if (method === 'POST') return 'created'
  if (method === 'PATCH') return 'patched'
  if (method === 'DELETE') return 'deleted'
  const kind = url?.startsWith('/notes?') ? 'list' : 'item'
  return headers['if-none-match'] === undefined ? kind : `${kind} unchanged`
}
