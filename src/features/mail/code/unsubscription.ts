/**
 * /mails/{secret}: the link by which the receiver of a mail of code unsubscribes from its template. GET changes nothing.
 * Mail programs send the POST without a person at a page (RFC 8058), and may repeat it.
 */

import { actorOf, anonymous } from '../../../access/principal.ts'
import { sha256 } from '../../../access/secret-token.ts'
import { currentPassword } from '../../../definition/current-password.ts'
import { createInputModel } from '../../../definition/input-model.ts'
import { textKind } from '../../../definition/kinds/text.ts'
import type { FieldModel, ResourceModel } from '../../../definition/model.ts'
import type { Row } from '../../../store/row.ts'
import { readField } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import { findRow, insertFields } from '../../../store/table-rows.ts'
import { homeUri } from '../../../views/uri.ts'
import { createLink, linkDocument } from '../link-document.ts'
import { mailContextOf } from '../mail-context.ts'

/** Milliseconds that the link is good for: 60 days. */
export const unsubscriptionTime = 60 * 86_400_000

/** An address and the name of a template. */
interface Subscription {
  readonly template: string
  readonly address: string
}

/** Whether the receiver of mails of the template has unsubscribed. */
export async function hasUnsubscribed(
  store: Store,
  mails: ResourceModel,
  subscription: Subscription,
): Promise<boolean> {
  return (await findRow(store, mails, slotOf(subscription), 'slot')) !== undefined
}

/** The row of an unsubscription has this text alone: no address. */
function slotOf({ template, address }: Subscription): string {
  return sha256(JSON.stringify(['unsubscribed', template, address]))
}

/** The subscription of a stored mail of code. */
export function subscriptionOf(mails: ResourceModel, row: Row): Subscription {
  const read = (name: string) => String(readField(mails, row, name))
  return { template: read('template'), address: read('address') }
}

/** The content of the POST of mail programs. */
const oneClick: FieldModel = Object.freeze({
  ...currentPassword,
  name: 'List-Unsubscribe',
  kind: textKind,
  writeOnly: false,
  schema: { type: 'string', maxLength: 20, description: 'The text One-Click, of RFC 8058.' },
})

const unsubscriptionLink = createLink<Subscription, void>({
  async find(service, mail) {
    const { tables, now } = mailContextOf(service)
    const isExpired = Date.parse(String(readField(tables.mails, mail, 'expiresAt'))) <= now()
    return isExpired ? undefined : subscriptionOf(tables.mails, mail)
  },
  show: ({ address }) => ({ data: { address }, asked: [] }),
  check: async () => undefined,
  async write({ service }, subscription) {
    const { tables, store, now } = mailContextOf(service)
    const { mails } = tables
    if (await hasUnsubscribed(store, mails, subscription)) return []
    const stored = {
      kind: 'unsubscribed',
      recipient: '',
      nonce: '',
      slot: slotOf(subscription),
      expiresAt: '9999-12-31T00:00:00.000Z',
    }
    return [insertFields(mails, new Date(now()).toISOString(), stored)]
  },
  actorOf: () => actorOf(anonymous),
  // RFC 8058 §3.1: the response to a mail program must not redirect.
  finish: ({ service, members }) => ({
    next: Object.hasOwn(members, oneClick.name) ? undefined : homeUri(service.model),
  }),
})

export const unsubscription = linkDocument({
  route: '/mails/{secret}',
  name: 'unsubscription',
  heading: 'Unsubscribe',
  title: 'Unsubscribe',
  authenticates: false,
  input: () => createInputModel('unsubscription', [oneClick]),
  links: { code: unsubscriptionLink },
})
