/** A service with every kind of value in JSON, and what malformed content is answered with. */

import assert from 'node:assert/strict'
import { anyone, integer, json, list, number, password, resource, service, text } from 'restwell'
import type { TestService } from '../service.ts'

export const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
export const things = service({
  title: 'Things',
  resources: {
    things: resource(
      {
        name: text({ max: 1_000_000 }).optional(),
        tags: list(text()).optional(),
        size: number().optional(),
        count: integer().optional(),
        secret: password().optional(),
        data: json().optional(),
      },
      { access: open },
    ),
  },
})

export const asJson = { 'content-type': 'application/json' }
export const post = (s: TestService, content: string | Uint8Array) =>
  s.request('POST /things', asJson, content)

export async function isMalformed(s: TestService, content: string | Uint8Array, why = String(content)) {
  const response = await post(s, content)
  assert.equal(response.status, 400, why)
  assert.equal(response.json.type, '/problems/malformed-content', why)
  return response
}
