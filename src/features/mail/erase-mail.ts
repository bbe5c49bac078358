/** Erasing queued mails. */

import { deleteRow, readField } from '../../store/row-fields.ts'
import { findRow } from '../../store/table-rows.ts'
import type { EraseWork } from '../../work/erase-work.ts'
import { mailTablesOf } from './mail-record.ts'

/** A mail to an account has its address, in a row of its own, which is deleted with its link. */
export const eraseMail: EraseWork = async ({ payload }, { model, store, table, identity, at }) => {
  const tables = mailTablesOf(model)
  if (tables?.accounts.resource.name !== table) return undefined
  const { mails } = tables
  const row = await findRow(store, mails, payload)
  return row && readField(mails, row, 'account') === identity ? [deleteRow(mails, row, at)] : undefined
}
