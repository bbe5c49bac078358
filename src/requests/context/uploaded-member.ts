/**
 * The member of content for which a form sent a file. It has the form of any member for a file, and only
 * the service can create it: in JSON, a digest names no content.
 */

import type { JsonValue } from '../../definition/model.ts'
import { describeStoredFile } from '../../definition/stored-file.ts'
import type { AcceptedFile } from './request-content.ts'

const uploaded = new WeakMap<object, AcceptedFile>()

export function createUploadedMember(file: AcceptedFile): JsonValue {
  const member = Object.freeze({ href: '', ...describeStoredFile(file) })
  uploaded.set(member, file)
  return member
}

/** The file of such a member; undefined for every other value. */
export function findUploadedFile(value: JsonValue): AcceptedFile | undefined {
  return typeof value === 'object' && value !== null ? uploaded.get(value) : undefined
}
