/**
 * The documents that links in mails lead to. GET shows the form and uses nothing up; POST uses the link, once. The row
 * of the mail names its kind, which says what the use requires and writes.
 */

import { authenticate } from '../../access/authenticate.ts'
import { anonymous, type Principal } from '../../access/principal.ts'
import type { MailKind } from '../../definition/mail-model.ts'
import type { JsonValue, Model, ResourceModel } from '../../definition/model.ts'
import type { HttpResponse } from '../../http/message.ts'
import { type Refusal, refuse, unavailable } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { Document, DocumentRequest, PostedContent } from '../../requests/context/target.ts'
import { type PostedMembers, readPostedMembers } from '../../requests/documents/posted-members.ts'
import { seeOther } from '../../requests/respond/early-response.ts'
import type { Actor } from '../../store/change-log.ts'
import type { Row } from '../../store/row.ts'
import { readField } from '../../store/row-fields.ts'
import type { Write, WriteRefusal } from '../../store/write.ts'
import { requireEncryption, requireTrustedSender } from '../sign-in/sign-in.ts'
import { mailContextOf } from './mail-context.ts'
import { findMailBySecret } from './mail-record.ts'

/** A use of a link. */
export interface LinkUse {
  readonly received: DocumentRequest
  readonly caller: Principal
  readonly members: PostedMembers['members']
}

/** The links of a kind of mail. `Open` is a link that can be used, `Proof` is made of what the person sent. */
export interface LinkKind<Open, Proof> {
  /** The link of the mail; undefined where it cannot be used any more. */
  find(service: ServiceContext, mail: Row): Promise<Open | undefined>
  /** The members of its page. */
  show(open: Open, caller: Principal): Readonly<Record<string, JsonValue>>
  /** Refuses 422 and 429 what the person sent. */
  check(use: LinkUse, open: Open): Promise<Proof>
  /** The writes of the use, which the store refuses where the link was used in between. */
  write(use: LinkUse, open: Open, proof: Proof): Promise<readonly Write[]>
  /** To whom they are attributed. */
  actorOf(open: Open): Actor
  /** The refusal of writes that the store has refused; undefined where they are to be tried again. */
  refusalOf?(
    service: ServiceContext,
    open: Open,
    reason: WriteRefusal,
  ): Promise<Refusal | undefined> | Refusal | undefined
  /** The URI that the form leads to. */
  nextUri(model: Model): string
}

/** The links of a kind, whatever it finds and asks for. */
export interface MailLink {
  /** The members of its page; refuses 404 a link that cannot be used any more. */
  load(service: ServiceContext, mail: Row, caller: Principal): Promise<Readonly<Record<string, JsonValue>>>
  /** Uses the link; refuses 404, 409, 422, 429 and 503. */
  use(use: LinkUse, mail: Row): Promise<void>
  nextUri(model: Model): string
}

/** Attempts when rows that the use depends on change at the same time. */
const maxAttempts = 5

export function createLink<Open, Proof>(kind: LinkKind<Open, Proof>): MailLink {
  const requireOpen = async (service: ServiceContext, mail: Row) => {
    const open = await kind.find(service, mail)
    if (open) return open
    throw linkRefusal()
  }
  return {
    nextUri: kind.nextUri,
    load: async (service, mail, caller) => kind.show(await requireOpen(service, mail), caller),
    async use(use, mail) {
      const { service, request } = use.received
      const proof = await kind.check(use, await requireOpen(service, mail))
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const open = await requireOpen(service, await requireMail(service, use.received.target.parameter))
        const writes = await kind.write(use, open, proof)
        const written = await service.store.write(writes, { actor: kind.actorOf(open), request: request.id })
        if (written.kind === 'done') return service.changes.wake()
        const refusal = await kind.refusalOf?.(service, open, written.reason)
        if (refusal) throw refusal
      }
      throw unavailable('Too many requests are changing this account at once.')
    },
  }
}

/** Where links lead to, and which ones. */
export interface LinkPlace {
  readonly route: string
  readonly name: string
  readonly title: string
  readonly summary?: string
  readonly posted?: PostedContent
  /** Whether the use depends on the caller. */
  readonly authenticates?: true
  /** The resource whose fields its form has; undefined: texts. */
  resourceOf?(model: Model): ResourceModel | undefined
  readonly links: Readonly<Partial<Record<MailKind, MailLink>>>
}

export function linkDocument(place: LinkPlace): Document {
  const { route, name, title, summary, posted } = place
  return {
    route,
    name,
    ...(summary === undefined ? {} : { summary, schema: { type: 'object' } }),
    personal: true,
    cache: 'no-store',
    operations: 'postedDocument',
    ...(posted && { posted }),
    async loadContent(service, caller, secret) {
      const { link, mail } = await requireLink(service, place, secret)
      return { title, ...(await link.load(service, mail, caller)) }
    },
    async respond(received) {
      requireEncryption(received.request)
      return received.request.method === 'POST' ? postToLink(received, place) : undefined
    },
  }
}

async function postToLink(received: DocumentRequest, place: LinkPlace): Promise<HttpResponse> {
  const { service, request, target } = received
  const { model, schemes } = service
  requireTrustedSender(model, request)
  const caller = place.authenticates ? await authenticate(schemes, request) : anonymous
  const { members, isForm } = await readPostedMembers(received, place.resourceOf?.(model))
  const { link, mail } = await requireLink(service, place, target.parameter)
  await link.use({ received, caller, members }, mail)
  if (isForm) return seeOther(link.nextUri(model)).response
  return { status: 204, fields: { 'Cache-Control': 'no-store' } }
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
  // Written by `mailWrites`.
  const link = links[readField(mails, mail, 'kind') as MailKind]
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
