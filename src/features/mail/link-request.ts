/** The documents that ask for a mail with a link. The response is the same for known and unknown addresses. */

import { createInputModel } from '../../definition/input-model.ts'
import type { FieldModel, Model } from '../../definition/model.ts'
import { loginField } from '../../definition/sign-in-fields.ts'
import type { Document, DocumentForm, FormSubmission } from '../../requests/context/target.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { formAction } from '../../views/form-action.ts'
import { requireAccounts, requireTrustedSender } from '../sign-in/sign-in.ts'
import { countMail } from './mail-context.ts'

export interface LinkRequest {
  readonly route: string
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly postSummary: string
  /** The purpose of the login for browsers. */
  readonly autocomplete: 'username' | 'email'
  /** The members besides the login. */
  readonly others: readonly FieldModel[]
  readonly authenticates?: false
  uriOf(model: Model): string
  /** Records the mail. */
  ask(sent: FormSubmission, login: string): Promise<void>
}

export function linkRequestDocument(asked: LinkRequest): Document {
  const { route, name, title, summary, uriOf } = asked
  const form: DocumentForm = {
    title: 'Send the link',
    summary: asked.postSummary,
    status: 202,
    ...(asked.authenticates === false && { authenticates: false }),
    autocomplete: { login: asked.autocomplete },
    input: memoizeByObject((model: Model) =>
      createInputModel(name, [loginField(requireAccounts(model)), ...asked.others]),
    ),
    async submit(sent) {
      const { service, caller, request, members } = sent
      countMail(service, caller, request.client.address)
      await asked.ask(sent, String(members.login))
      service.changes.wake()
      return { next: `${uriOf(service.model)}?sent=true` }
    },
  }
  return {
    route,
    name,
    summary,
    schema: { type: 'object' },
    personal: true,
    cache: 'no-store',
    hasEntityTag: false,
    operations: 'postedDocument',
    parameters: ['sent'],
    form,
    load: async ({ service: { model }, target }) => ({
      data: { title, isSent: target.query?.includes('sent=') === true },
      hypermedia: {
        links: [{ target: uriOf(model), rel: 'self' }],
        actions: [formAction(model, form, uriOf(model))],
      },
    }),
    async respond({ service, request }) {
      if (request.method === 'POST') requireTrustedSender(service.model, request)
      return undefined
    },
  }
}
