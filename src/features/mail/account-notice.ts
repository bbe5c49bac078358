/** Notices by mail to the owner of an account, written in the transaction of the change. */

import type { MailKind } from '../../definition/mail-texts.ts'
import type { FieldModel, Stored } from '../../definition/model.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import type { ItemTarget } from '../../requests/context/target.ts'
import type { Row } from '../../store/row.ts'
import { findRow } from '../../store/table-rows.ts'
import type { Write } from '../../store/write.ts'
import { mailTablesOf, mailWrites } from './mail-record.ts'

/**
 * The writes that tell the owner of a new password or login, at the former address; none for other changes and for a
 * service without mail.
 */
export function accountNotices(
  { service }: RequestContext<ItemTarget>,
  row: Row,
  values: readonly Stored[],
): readonly Write[] {
  const tables = mailTablesOf(service.model)
  if (!tables) return []
  const { login, password } = tables.accounts
  const recipient = String(row[login.index])
  const kinds: readonly (readonly [FieldModel, MailKind])[] = [
    [password, 'passwordChanged'],
    [login, 'loginChanged'],
  ]
  return kinds
    .filter(([{ index }]) => values[index] !== row[index])
    .flatMap(([, kind]) => mailWrites(tables, { kind, recipient, account: row }, service.clock.now()))
}

/** The writes that tell the owner of an added or removed credential, or of wrong codes; none for a service without mail. */
export async function credentialNotice(
  { model, store, clock }: Unit,
  kind: 'credentialAdded' | 'credentialRemoved' | 'codesRefused',
  account: string,
): Promise<readonly Write[]> {
  const tables = mailTablesOf(model)
  if (!tables) return []
  const { login, resource } = tables.accounts
  const row = await findRow(store, resource, account)
  if (!row) return []
  return mailWrites(tables, { kind, recipient: String(row[login.index]), account: row }, clock.now())
}
