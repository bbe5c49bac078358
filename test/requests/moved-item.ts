/** Items whose key changes, and what their former URIs lead to. */

import assert from 'node:assert/strict'
import { text } from 'restwell'
import type { Reply, TestService } from '../service.ts'

export const things = { sku: text(), name: text().optional() }

export async function make(s: TestService, path: string, body: object) {
  const created = await s.request(`POST ${path}`, {}, body)
  assert.equal(created.status, 201, created.text)
}

export async function rename(s: TestService, from: string, sku: string | number, field = 'sku') {
  const renamed = await s.request(`PATCH ${from}`, {}, { [field]: sku })
  assert.equal(renamed.status, 200, renamed.text)
  return renamed
}

export function leadsTo(reply: Reply, location: string | undefined) {
  assert.equal(reply.status, location === undefined ? 404 : 301, reply.text)
  assert.equal(reply.fields.location, location)
}
