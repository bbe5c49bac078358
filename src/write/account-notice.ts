/** Notices by mail to the owner of an account, written in the transaction of the change. */

import type { RequestContext } from '../context/request-context.ts'
import type { ItemTarget } from '../context/target.ts'
import type { Stored } from '../definition/model.ts'
import { mailTablesOf, mailWrites } from '../mail/mail-record.ts'
import type { Row } from '../store/row.ts'
import type { Write } from '../store/write.ts'

/** The writes that tell the owner of a new password; none for other changes and for a service without mail. */
export function accountNotices(
  { service, target }: RequestContext<ItemTarget>,
  row: Row,
  values: readonly Stored[],
): readonly Write[] {
  const tables = mailTablesOf(service.model)
  if (!tables || target.resource !== tables.accounts.resource) return []
  const { login, password } = tables.accounts
  if (values[password.index] === row[password.index]) return []
  const mail = { kind: 'passwordChanged', recipient: String(row[login.index]), account: row } as const
  return mailWrites(tables, mail, service.clock.now())
}
