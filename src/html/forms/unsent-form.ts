/** The input of forms that cannot be shown again: of a person who is signed out, or of an item that is gone. */

import { findContentField } from '../../definition/current-password.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { changedPairs, parseFormPairs } from '../../formats/form-reader.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { QueryPair } from '../../http/query-string.ts'
import { Refusal } from '../../refusal.ts'
import type { RequestTrace } from '../../requests/context/request-trace.ts'
import { formResource } from '../../requests/context/target.ts'
import type { UnsentForm } from '../page-view.ts'
import { isFormWithoutFiles } from './form-key.ts'

/** The facts about a refused form. */
type SentForm = Pick<RequestTrace, 'target' | 'content'> & { readonly request: HttpRequest }

/** The form of a 401, with its values except passwords; undefined for other requests. */
export async function findUnsentForm(form: SentForm, maxOctets: number): Promise<UnsentForm | undefined> {
  const resource = form.target && formResource(form.target)
  if (!resource || !isOwnForm(form.request)) return undefined
  const pairs = await readPairs(form, maxOctets)
  const isSecret = (name: string) => findContentField(resource, name.replace(/\[\]$/, ''))?.writeOnly === true
  return {
    target: form.request.target,
    pairs: pairs.filter(([name]) => !isSecret(name)),
    hadPasswords: pairs.some(([name, value]) => isSecret(name) && value !== ''),
  }
}

/** The values of an edit whose item is gone, except passwords, so that the person can copy them. */
export async function findLostEdit(form: SentForm, maxOctets: number): Promise<readonly QueryPair[]> {
  const { target, request } = form
  if (target?.kind !== 'item' || !isOwnForm(request)) return []
  return shownPairs(target.resource, await readPairs(form, maxOctets))
}

/** The values to show again: those that the person changed, without passwords. */
export function shownPairs(resource: ResourceModel, pairs: readonly QueryPair[]): readonly QueryPair[] {
  const isSecret = (name: string) => findContentField(resource, name.replace(/\[\]$/, ''))?.kind.isHashed
  return changedPairs(resource, pairs).filter(([name]) => !isSecret(name))
}

/**
 * Whether a page of this service sent the form: a page of another site must not choose what a person
 * sends. Files are not kept, so forms with files are left out.
 */
function isOwnForm(request: HttpRequest): boolean {
  const { method, fields } = request
  return (
    method === 'POST' &&
    fields['sec-fetch-site'] === 'same-origin' &&
    isFormWithoutFiles(request) &&
    fields.expect === undefined
  )
}

/** The pairs; none where the content cannot be read, so that the refusal stays the one that was decided. */
async function readPairs({ request, content }: SentForm, maxOctets: number): Promise<readonly QueryPair[]> {
  // The content is received only once, and most refusals with 401 come before that.
  const read = () => (content ? content.octets() : request.content.read(maxOctets))
  try {
    return request.content.present ? parseFormPairs(await read()) : []
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}
