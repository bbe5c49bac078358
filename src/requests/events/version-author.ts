/** Who made a version, as far as the caller may know it. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { IDENTITY, type Model } from '../../definition/model.ts'
import type { Actor } from '../../store/change-log.ts'
import { all, type Condition } from '../../store/condition.ts'
import type { Store } from '../../store/store.ts'
import { idOf } from '../../views/uri.ts'

export interface AuthorSource {
  readonly model: Model
  readonly store: Store
}

/** The name of an actor; undefined where the caller may not know it. */
export type FindAuthor = (actor: Actor | undefined) => string | undefined

/**
 * Loads the accounts among the actors that the caller may read, with one query. An account is named by
 * its id, the service itself by the part that made the change, another principal by its subject, and
 * that only to itself.
 */
export async function loadAuthors(
  { model, store }: AuthorSource,
  caller: Principal,
  actors: readonly (Actor | undefined)[],
): Promise<FindAuthor> {
  const values = [...new Set(actors.flatMap((actor) => actor?.account ?? []))]
  const ids = await loadAccountIds({ model, store }, caller, values)
  return (actor) => {
    if (actor?.account !== undefined) return ids.get(actor.account)
    if (actor?.name !== undefined) return actor.name
    return actor && isSameSubject(caller, actor) ? actor.subject : undefined
  }
}

async function loadAccountIds(
  { model: { accounts }, store }: AuthorSource,
  caller: Principal,
  values: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (!accounts || values.length === 0) return new Map()
  const { resource } = accounts
  const among: Condition = { kind: 'compare', path: ['_identity'], operator: 'in', values }
  const rows = await store.list({
    table: resource.name,
    condition: all([among, rightsOf(resource, caller).read]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: values.length,
    evaluated: [],
  })
  return new Map(rows.map((row) => [String(row[IDENTITY]), idOf(resource, row)]))
}

function isSameSubject(caller: Principal, { issuer, subject }: Actor): boolean {
  return caller.kind === 'external' && caller.issuer === issuer && caller.subject === subject
}
