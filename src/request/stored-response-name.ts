/** The name that an answer is kept under for replay: a key within its caller, method and path. */

import { hash } from 'node:crypto'
import { type Principal, scopesOf } from '../access/principal.ts'
import type { JsonValue } from '../definition/model.ts'

export interface KeyScope {
  readonly caller: Principal
  /** Where an anonymous caller calls from. */
  readonly address: string
  readonly method: string
  readonly path: string
}

/** Neither the key nor the caller is to be read from the database. */
export function storedResponseName(
  { caller, address, method, path }: KeyScope,
  key: string,
): string {
  return hash(
    'sha256',
    JSON.stringify([...callerScope(caller, address), method, path, key]),
    'base64',
  )
}

/** Whoever has other roles or scopes may not see what was answered, and is another caller. */
export function callerScope(caller: Principal, address: string): readonly JsonValue[] {
  switch (caller.kind) {
    case 'anonymous':
      return [caller.kind, address]
    case 'external':
      return [caller.kind, caller.subject, [...caller.roles].sort()]
    case 'account':
      return [
        caller.kind,
        caller.identity,
        [...caller.roles].sort(),
        [...(scopesOf(caller) ?? [])].sort(),
      ]
  }
}
