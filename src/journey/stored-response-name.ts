/** The name that an answer is kept under for replay: a key within its caller, method and path. */

import { hash } from 'node:crypto'
import { type Principal, scopesOf } from '../access/principal.ts'
import type { JsonValue } from '../declare/model.ts'

export interface KeyScope {
  readonly who: Principal
  /** Where an anonymous caller calls from. */
  readonly address: string
  readonly method: string
  readonly path: string
}

/** Neither the key nor the caller is to be read from the database. */
export function storedResponseName({ who, address, method, path }: KeyScope, key: string): string {
  return hash('sha256', JSON.stringify([...callerScope(who, address), method, path, key]), 'base64')
}

/** Whoever has other roles or scopes may not see what was answered, and is another caller. */
export function callerScope(who: Principal, address: string): readonly JsonValue[] {
  switch (who.kind) {
    case 'anonymous':
      return [who.kind, address]
    case 'outsider':
      return [who.kind, who.subject, [...who.roles].sort()]
    case 'account':
      return [who.kind, who.identity, [...who.roles].sort(), [...(scopesOf(who) ?? [])].sort()]
  }
}
