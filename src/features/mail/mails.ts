/** /mails: the newest mails, for development on this machine. It shows secrets, so no other machine can read it. */

import { CREATED_AT } from '../../definition/model.ts'
import { isLoopback } from '../../http/ip-network.ts'
import { refuse } from '../../refusal.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type { Document } from '../../requests/context/target.ts'
import { any, present } from '../../store/condition.ts'
import { readField } from '../../store/row-fields.ts'
import { isLocalHost } from '../sign-in/sign-in.ts'
import { formatMail } from './mail-consumer.ts'
import { mailPart } from './mail-context.ts'
import { mailTablesOf, readMail } from './mail-record.ts'

const maxMails = 50

export const mails: Document = {
  route: '/mails',
  name: 'mails',
  personal: true,
  cache: 'no-store',
  async respond({ service, request }) {
    const { fields, client } = request
    const isOwn = isLoopback(client.address) && isLocalHost(client.host ?? fields.host ?? '')
    if (partOf(service, mailPart).isShown && isOwn) return undefined
    throw refuse('not-found', { detail: 'Mails are shown on this machine only, where MAIL_URL is page.' })
  },
  async load({ service: { model, store, parts, clock, publicUrl }, origin }) {
    const tables = mailTablesOf(model)
    if (!tables) return { data: [] }
    const rows = await store.list({
      table: tables.mails.name,
      condition: any(['account', 'newAccount', 'invitation', 'content'].map((name) => present([name]))),
      order: [{ column: '_identity', descending: true }],
      after: undefined,
      limit: maxMails,
      evaluated: [],
    })
    const { key } = partOf({ parts }, mailPart)
    const context = { model, store, tables, key, publicUrl: publicUrl ?? origin + model.base, now: clock.now }
    const data = rows.map((row) => {
      const { to, subject, text } = formatMail(context, readMail(tables.mails, row))
      return {
        at: String(row[CREATED_AT]),
        to,
        subject,
        text,
        used: readField(tables.mails, row, 'usedAt') !== null,
      }
    })
    return { data }
  },
}
