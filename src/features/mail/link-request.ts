/** The documents that ask for a mail with a link. The response is the same for known and unknown addresses. */

import { createInputModel } from '../../definition/input-model.ts'
import type { FieldModel, Model } from '../../definition/model.ts'
import { loginField } from '../../definition/sign-in-fields.ts'
import type { ResponseFields } from '../../http/message.ts'
import { formatQueryString, parseQueryString } from '../../http/query-string.ts'
import type { Document, DocumentForm, DocumentTarget, FormSubmission } from '../../requests/context/target.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { formAction } from '../../views/form-action.ts'
import { requireAccounts, requireTrustedSender } from '../sign-in/sign-in.ts'
import { countMail } from './mail-context.ts'

export interface LinkRequest {
  readonly route: string
  readonly name: string
  readonly title: string
  /** Of GET and of POST in descriptions; undefined: it is for HTML pages. */
  readonly summary?: string
  readonly postSummary?: string
  /** The purpose of the login for browsers. */
  readonly autocomplete: 'username' | 'email'
  /** The members besides the login. */
  readonly others: readonly FieldModel[]
  readonly authenticates?: false
  /** Further query parameters, and the one that its form keeps. */
  readonly parameters?: readonly string[]
  readonly keptParameter?: string
  uriOf(model: Model): string
  /** Records the mail; returns header fields of the response. */
  ask(sent: FormSubmission, login: string): Promise<ResponseFields | undefined>
}

export function linkRequestDocument(asked: LinkRequest): Document {
  const { route, name, title, summary, parameters = [], keptParameter, uriOf } = asked
  const form: DocumentForm = {
    title: 'Send the link',
    ...(asked.postSummary !== undefined && { summary: asked.postSummary }),
    status: 202,
    ...(asked.authenticates === false && { authenticates: false }),
    autocomplete: { login: asked.autocomplete },
    input: memoizeByObject((model: Model) =>
      createInputModel(name, [loginField(requireAccounts(model)), ...asked.others]),
    ),
    async submit(sent) {
      const { service, caller, request, members } = sent
      countMail(service, caller, request.client.address)
      const fields = await asked.ask(sent, String(members.login))
      service.changes.wake()
      return { next: `${uriOf(service.model)}?sent=true`, ...(fields && { fields }) }
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
    parameters: ['sent', ...parameters],
    form,
    load: async ({ service: { model }, target }) => ({
      data: { title, isSent: target.query?.includes('sent=') === true },
      hypermedia: {
        links: [{ target: uriOf(model), rel: 'self' }],
        actions: [formAction(model, form, uriOf(model) + keptQuery(keptParameter, target))],
      },
    }),
    async respond({ service, request }) {
      if (request.method === 'POST') requireTrustedSender(service.model, request)
      return undefined
    },
  }
}

/** The query of the parameter that the form keeps. */
function keptQuery(parameter: string | undefined, { query }: DocumentTarget): string {
  const kept = (parseQueryString(query ?? '') ?? []).filter(([name]) => name === parameter)
  return kept.length === 0 ? '' : `?${formatQueryString(kept)}`
}
