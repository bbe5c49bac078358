/** The name of a stored response: a hash of the idempotency key with its caller, method and path. */

import { hash } from 'node:crypto'
import { type Principal, scopesOf, subjectKey } from '../../access/principal.ts'
import type { JsonValue } from '../../definition/model.ts'

interface KeyScope {
  readonly caller: Principal
  /** Tells anonymous callers apart. */
  readonly address: string
  readonly method: string
  readonly path: string
}

/** A hash, so that the database reveals neither the key nor the caller. */
export function storedResponseName({ caller, address, method, path }: KeyScope, key: string): string {
  return hash('sha256', JSON.stringify([...callerScope(caller, address), method, path, key]), 'base64')
}

/** Identifies the caller. Roles and scopes are part of it: with others the caller may not see the stored response. */
export function callerScope(caller: Principal, address: string): readonly JsonValue[] {
  switch (caller.kind) {
    case 'anonymous':
      return [caller.kind, address]
    case 'system':
      return [caller.kind]
    case 'external':
      return [caller.kind, subjectKey(caller), [...caller.roles].sort()]
    case 'account':
      return [caller.kind, caller.identity, [...caller.roles].sort(), [...(scopesOf(caller) ?? [])].sort()]
  }
}
