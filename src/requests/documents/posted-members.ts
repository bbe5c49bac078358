/** The content of a POST to a document of people who sign in: JSON, or a form of an HTML page. */

import type { ResourceModel } from '../../definition/model.ts'
import { parseFormMembers, parseFormPairs } from '../../formats/form-reader.ts'
import { parseJson } from '../../formats/json-reader.ts'
import { parseMediaType } from '../../http/media-type.ts'
import { type ContentFault, refuse } from '../../refusal.ts'
import type { DocumentRequest } from '../context/target.ts'

export interface PostedMembers {
  readonly members: Readonly<Record<string, unknown>>
  /** Whether a form of an HTML page sent it: the response is then a redirect. */
  readonly isForm: boolean
}

const maxOctets = 8192
const formType = 'application/x-www-form-urlencoded'
const jsonType = 'application/json'

/**
 * The members; refuses 400, 413, 415 and 422. The values of a form are texts, unless they are fields of a resource. A query
 * parameter is 400, so that no dry run writes by mistake.
 */
export async function readPostedMembers(
  { request, target }: DocumentRequest,
  resource?: ResourceModel,
): Promise<PostedMembers> {
  if (target.query !== undefined) {
    throw refuse('unknown-parameter', { detail: 'A POST has no parameters here. Send it without a query.' })
  }
  const type = parseMediaType(request.fields['content-type'] ?? '')?.essence
  if (type !== formType && type !== jsonType) {
    throw refuse('unsupported-media-type', {
      detail: `The content must be ${jsonType} or ${formType}.`,
      fields: { 'Accept-Post': `${jsonType}, ${formType}` },
    })
  }
  if (request.fields['content-encoding'] !== undefined) {
    throw refuse('unsupported-content-coding', { detail: 'Send the content without a coding.' })
  }
  const octets = await request.content.read(maxOctets)
  if (type === formType) {
    const pairs = parseFormPairs(octets)
    if (resource) return { members: parseFormMembers(pairs, { resource, patch: false }), isForm: true }
    const members = Object.fromEntries(pairs)
    if (Object.keys(members).length < pairs.length) {
      throw refuse('malformed-content', { detail: 'The form repeats a name.' })
    }
    return { members, isForm: true }
  }
  const value = parseJson(octets)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('invalid-content', { detail: 'The content must be an object.' })
  }
  return { members: value as PostedMembers['members'], isForm: false }
}

const maxTextLength = 1000

/** The faults of members that must be texts. Other members are unknown, unless they are named as optional. */
export function textFaults(
  members: PostedMembers['members'],
  names: readonly string[],
  optional: readonly string[] = [],
): readonly ContentFault[] {
  const isText = (value: unknown) =>
    typeof value === 'string' && value !== '' && value.length <= maxTextLength
  const detail = `Must be a text of 1 to ${maxTextLength} characters.`
  const given = optional.filter((name) => members[name] !== undefined)
  return [
    ...Object.keys(members)
      .filter((name) => !names.includes(name) && !optional.includes(name))
      .map((name) => ({
        pointer: `/${name}`,
        rule: 'additionalProperties',
        detail: 'This field is unknown.',
      })),
    ...[...names, ...given]
      .filter((name) => !isText(members[name]))
      .map((name) => ({ pointer: `/${name}`, rule: 'required', detail })),
  ]
}
