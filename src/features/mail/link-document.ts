/**
 * The documents that links in mails lead to. GET shows the form and uses nothing up; POST uses the link, once. The row
 * of the mail names its kind, which says what the use requires and writes.
 */

import type { Principal } from '../../access/principal.ts'
import type { codeMail, MailKind } from '../../definition/mail-texts.ts'
import type { AccountsModel, JsonValue, Model, ResourceModel } from '../../definition/model.ts'
import type { HttpResponse } from '../../http/message.ts'
import { type Refusal, refuse, unavailable } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type {
  Document,
  DocumentForm,
  DocumentRequest,
  FormSubmission,
  SubmittedForm,
} from '../../requests/context/target.ts'
import { passwordOwner, requirePassword } from '../../requests/documents/posted-password.ts'
import type { RefusedWrite } from '../../requests/write/planned-change.ts'
import type { Actor } from '../../store/change-log.ts'
import type { Row } from '../../store/row.ts'
import { readField } from '../../store/row-fields.ts'
import type { Write } from '../../store/write.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { type FormFacts, formAction } from '../../views/form-action.ts'
import { requireAccounts, requireEncryption, requireTrustedSender } from '../sign-in/sign-in.ts'
import { mailContextOf } from './mail-context.ts'
import { findMailBySecret } from './mail-record.ts'

/** The links of a kind of mail. `Open` is a link that can be used, `Proof` is made of what the person sent. */
export interface LinkKind<Open, Proof> {
  /** The link of the mail; undefined where it cannot be used any more. */
  find(service: ServiceContext, mail: Row): Promise<Open | undefined>
  /** The content of its page. */
  show(open: Open, caller: Principal): ShownLink
  /** The response to a browser that the link is not for, or 403; undefined where the request is handled further. */
  respondElsewhere?(received: DocumentRequest, mail: Row): HttpResponse | undefined
  /** Refuses 422 and 429 what the person sent. */
  check(sent: FormSubmission, open: Open): Promise<Proof>
  /** The writes of the use, which the store refuses where the link was used in between. Refuses 404. */
  write(sent: FormSubmission, open: Open, proof: Proof): Promise<readonly Write[]>
  /** To whom they are attributed. */
  actorOf(open: Open): Actor
  /** The refusal of writes that the store has refused; undefined where they are to be tried again. */
  refusalOf?(
    service: ServiceContext,
    open: Open,
    refused: RefusedWrite,
  ): Promise<Refusal | undefined> | Refusal | undefined
  /** Where the form leads to after the use. */
  finish(sent: FormSubmission, open: Open): Promise<SubmittedForm> | SubmittedForm
}

export interface ShownLink {
  /** The members of its page. */
  readonly data: Readonly<Record<string, JsonValue>>
  /** The members that its use needs, where those of the form are optional. */
  readonly asked?: readonly string[]
}

/** The links of a kind, whatever it finds and asks for. */
export interface MailLink {
  /** The content of its page; refuses 404 a link that cannot be used any more. */
  load(service: ServiceContext, mail: Row, caller: Principal): Promise<ShownLink>
  /** Like that of its kind; refuses 404 a link that cannot be used any more. */
  respondElsewhere?(received: DocumentRequest, mail: Row): Promise<HttpResponse | undefined>
  /** Uses the link; refuses 404, 409, 422, 429 and 503. */
  use(sent: FormSubmission, mail: Row): Promise<SubmittedForm>
}

/** Attempts when rows that the use depends on change at the same time. */
const maxAttempts = 5

export function createLink<Open, Proof>(kind: LinkKind<Open, Proof>): MailLink {
  const requireOpen = async (service: ServiceContext, mail: Row) => {
    const open = await kind.find(service, mail)
    if (open) return open
    throw linkRefusal()
  }
  const { respondElsewhere } = kind
  return {
    ...(respondElsewhere && {
      async respondElsewhere(received, mail) {
        await requireOpen(received.service, mail)
        return respondElsewhere(received, mail)
      },
    }),
    load: async (service, mail, caller) => kind.show(await requireOpen(service, mail), caller),
    async use(sent, mail) {
      const { service, request, target } = sent
      const proof = await kind.check(sent, await requireOpen(service, mail))
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const open = await requireOpen(service, await requireMail(service, target.parameter))
        const writes = await kind.write(sent, open, proof)
        const written = await service.store.write(writes, { actor: kind.actorOf(open), request: request.id })
        if (written.kind === 'done') {
          service.changes.wake()
          return kind.finish(sent, open)
        }
        const refused = { ...written, write: writes[written.index] }
        const refusal = await kind.refusalOf?.(service, open, refused)
        if (refusal) throw refusal
      }
      throw unavailable('Too many requests are changing this account at once.')
    },
  }
}

/** Where links lead to, and which ones. */
export interface LinkPlace extends Omit<FormFacts, 'input'> {
  readonly route: string
  readonly name: string
  /** The title of its page. */
  readonly heading: string
  readonly summary?: string
  readonly postSummary?: string
  /** Of a success; 204 by default. */
  readonly status?: 303
  readonly authenticates?: false
  input(accounts: AccountsModel): ResourceModel
  readonly links: Readonly<Partial<Record<MailKind | typeof codeMail, MailLink>>>
}

export function linkDocument(place: LinkPlace): Document {
  const { route, name, heading, summary, postSummary, title, autocomplete, authenticates } = place
  const isOfBrowser = Object.values(place.links).some((link) => link.respondElsewhere !== undefined)
  const form: DocumentForm = {
    title,
    status: place.status ?? 204,
    ...(postSummary !== undefined && { summary: postSummary }),
    ...(autocomplete && { autocomplete }),
    ...(authenticates === false && { authenticates }),
    input: memoizeByObject((model: Model) => place.input(requireAccounts(model))),
    async submit(sent) {
      const { link, mail } = await requireLink(sent.service, place, sent.target.parameter)
      return link.use(sent, mail)
    },
  }
  return {
    route,
    name,
    ...(summary !== undefined && { summary, schema: { type: 'object' } }),
    personal: true,
    cache: 'no-store',
    hasEntityTag: false,
    operations: 'postedDocument',
    form,
    async load({ service, caller, target }) {
      const { link, mail } = await requireLink(service, place, target.parameter)
      const { data, asked } = await link.load(service, mail, caller)
      // No other URI repeats the secret.
      const actions = [formAction(service.model, form, '', asked)]
      return { data: { title: heading, ...data }, hypermedia: { links: [], actions } }
    },
    async respond(received) {
      const { service, request, target } = received
      requireEncryption(request)
      if (request.method === 'POST') requireTrustedSender(service.model, request)
      if (!isOfBrowser) return undefined
      const { link, mail } = await requireLink(service, place, target.parameter)
      return link.respondElsewhere?.(received, mail)
    },
  }
}

interface FoundLink {
  readonly link: MailLink
  readonly mail: Row
}

/** Refuses 404 a secret that no mail with a link to this place has. */
async function requireLink(
  service: ServiceContext,
  { links }: LinkPlace,
  secret: string | undefined,
): Promise<FoundLink> {
  const mail = await requireMail(service, secret)
  const { mails } = mailContextOf(service).tables
  // Written by `mailWrites`, or as a mail of code.
  const link = links[readField(mails, mail, 'kind') as MailKind | typeof codeMail]
  if (link) return { link, mail }
  throw linkRefusal()
}

async function requireMail(service: ServiceContext, secret: string | undefined): Promise<Row> {
  const { tables, store } = mailContextOf(service)
  const mail = await findMailBySecret(tables, store, secret ?? '')
  if (mail) return mail
  throw linkRefusal()
}

/** The refusal of a link that is unknown, used or expired, or whose address is taken: always the same. */
export function linkRefusal(): Refusal {
  return refuse('not-found', { detail: 'This link is not valid any more. Ask for a new one.' })
}

/** Requires the password of the account in the content. Refuses 422 and 429. */
export async function requireAccountPassword(sent: FormSubmission, account: Row): Promise<void> {
  const owner = passwordOwner(requireAccounts(sent.service.model), account)
  await requirePassword(sent, owner, { name: 'password', value: sent.members.password })
}
