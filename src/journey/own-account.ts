/** The caller's own account, as a place to go to. */

import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { asksOf } from '../view/record.ts'
import { titleField } from '../view/title.ts'
import { itemUri } from '../view/uri.ts'
import type { Context } from './context.ts'

export interface OwnAccount {
  readonly uri: string
  /** What it is called. */
  readonly title: string
}

/** Undefined where nobody is known, or the account may not be seen by its own holder. */
export async function findOwnAccount(
  { model, store }: Pick<Context, 'model' | 'store'>,
  who: Principal,
): Promise<OwnAccount | undefined> {
  const resource = model.accounts?.resource
  if (who.kind !== 'account' || !resource?.itemMethods.has('GET')) return undefined
  const { read, sight } = rightsOf(resource, who)
  const asks = asksOf(resource, [read])
  const row = await store.find({
    table: resource.name,
    column: '_identity',
    value: who.identity,
    asks: asks.conditions,
  })
  if (!row || !asks.answersIn(row)(read)) return undefined
  const field = titleField(resource)
  const title = field && sight.get(field)?.kind === 'always' ? row[field.at] : undefined
  return {
    uri: itemUri(model, resource, row),
    title: String(title ?? 'Your account'),
  }
}
