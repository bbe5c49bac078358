/** The documents that ask for a mail with a link. The response is the same for known and unknown addresses. */

import { authenticate } from '../../access/authenticate.ts'
import { anonymous, type Principal } from '../../access/principal.ts'
import type { JsonSchema, Model } from '../../definition/model.ts'
import type { HttpResponse } from '../../http/message.ts'
import { invalidContent } from '../../refusal.ts'
import type { Document, DocumentRequest } from '../../requests/context/target.ts'
import { readPostedMembers, textFaults } from '../../requests/documents/posted-members.ts'
import { seeOther } from '../../requests/respond/early-response.ts'
import { requireTrustedSender } from '../sign-in/sign-in.ts'
import type { LinkUse } from './link-document.ts'
import { countMail } from './mail-context.ts'

export interface LinkRequest {
  readonly route: string
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly postSummary: string
  /** The members besides `login`, which may be absent. */
  readonly optional: readonly string[]
  /** Whether it depends on the caller. */
  readonly authenticates?: true
  uriOf(model: Model): string
  /** Records the mail. */
  ask(use: LinkUse, login: string): Promise<void>
}

const textSchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 1000 }

export function linkRequestDocument(asked: LinkRequest): Document {
  const { route, name, title, summary, postSummary, optional, uriOf } = asked
  const properties = Object.fromEntries(['login', ...optional].map((member) => [member, textSchema]))
  return {
    route,
    name,
    summary,
    schema: { type: 'object' },
    personal: true,
    cache: 'no-store',
    operations: 'postedDocument',
    parameters: ['sent'],
    posted: {
      summary: postSummary,
      content: { type: 'object', required: ['login'], properties },
      status: 202,
    },
    loadContent: async () => ({ title }),
    loadContentAndLinks: async ({ service, target }) => ({
      data: { title, isSent: target.query?.includes('sent=') === true },
      hypermedia: { links: [{ target: uriOf(service.model), rel: 'self' }], actions: [] },
    }),
    respond: async (received) =>
      received.request.method === 'POST' ? askForLink(received, asked) : undefined,
  }
}

async function askForLink(received: DocumentRequest, asked: LinkRequest): Promise<HttpResponse> {
  const { service, request } = received
  requireTrustedSender(service.model, request)
  const caller: Principal = asked.authenticates ? await authenticate(service.schemes, request) : anonymous
  const { members, isForm } = await readPostedMembers(received)
  const faults = textFaults(members, ['login'], asked.optional)
  if (faults.length > 0) throw invalidContent(faults)
  countMail(service, caller, request.client.address)
  await asked.ask({ received, caller, members }, String(members.login))
  service.changes.wake()
  if (isForm) return seeOther(`${asked.uriOf(service.model)}?sent=true`).response
  return { status: 202, fields: { 'Cache-Control': 'no-store' } }
}
