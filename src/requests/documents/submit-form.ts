/** POST of the form of a document: its content is checked like the input of an action. */

import { system } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { parseMediaType } from '../../http/media-type.ts'
import { invalidContent } from '../../refusal.ts'
import { isAlwaysTrue } from '../../store/condition.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { DocumentForm, DocumentTarget, FormSubmission } from '../context/target.ts'
import { seeOther } from '../respond/early-response.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { draftCreation, membersOf } from '../write/draft-from-content.ts'

type FormContent = Pick<FormSubmission, 'service' | 'request'> & { readonly body: unknown }

/** 202 or 204, and 303 where a form was sent; refuses 422, and what the form refuses. */
export async function submitForm(
  { caller, target }: RequestContext<DocumentTarget>,
  form: DocumentForm,
  { service, request, body }: FormContent,
): Promise<ViewResponse> {
  const resource = form.input(service.model)
  const writer = { resource, rights: rightsOf(resource, system), isTrue: isAlwaysTrue }
  const { faults } = draftCreation(writer, body)
  if (faults.length > 0) throw invalidContent(faults)
  const submitted = await form.submit({ service, request, target, caller, members: membersOf(body) })
  const fields = { 'Cache-Control': 'no-store', ...submitted.fields }
  const { status } = form
  const type = parseMediaType(request.fields['content-type'] ?? '')?.essence
  const isForm = status === 303 || type === 'application/x-www-form-urlencoded'
  if (isForm && submitted.next !== undefined) throw seeOther(submitted.next, fields)
  return { status, view: undefined, links: [], fields }
}
