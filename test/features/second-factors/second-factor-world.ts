/** An account that can register second factors, and its clock. */

import assert from 'node:assert/strict'
import type { TestService } from '../../service.ts'

export const pass = 'the right password'
export const ada = 'ada@example.org'

export interface World {
  readonly s: TestService
  /** The URI of the account. */
  readonly own: string
  readonly now: () => number
  advance(milliseconds: number): void
}

export async function signUp(s: TestService, login = ada): Promise<World> {
  const created = await s.request('POST /people', {}, { email: login, password: pass })
  assert.equal(created.status, 201, created.text)
  let offset = 0
  return {
    s,
    own: `/people/${created.json.id}`,
    now: () => Date.now() + offset,
    advance(milliseconds) {
      offset += milliseconds
      s.advance(milliseconds)
    },
  }
}
