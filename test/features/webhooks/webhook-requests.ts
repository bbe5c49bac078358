/** Accounts, webhooks and their deliveries, by requests. */

import assert from 'node:assert/strict'
import { eventually } from '../../eventually.ts'
import { admin, basic, type Reply, type TestService } from '../../service.ts'

export async function addElement(service: TestService, login: string) {
  const created = await service.request('POST /users', admin, {
    email: login,
    password: 'long enough words',
    roles: ['member'],
  })
  return { ...basic(login, 'long enough words'), uri: String(created.fields.location) }
}

export async function createWebhook(
  service: TestService,
  caller: { readonly authorization: string },
  url: string,
  events: readonly string[] = ['tasks.*'],
) {
  const { authorization } = caller
  const created: Reply = await service.request('POST /webhooks', { authorization }, { url, events })
  assert.equal(created.status, 201, created.text)
  return { secret: String(created.json.secret), uri: String(created.fields.location) }
}

export function mergePatch({ authorization }: { readonly authorization: string }) {
  return { authorization, 'content-type': 'application/merge-patch+json' }
}

/** Resolves when so many deliveries have the status. */
export async function recorded(
  service: TestService,
  uri: string,
  status: string,
  count: number,
): Promise<void> {
  await eventually(async () => {
    const { json } = await service.request(`GET ${uri}/deliveries?status=${status}`, admin)
    return json.length >= count
  })
}
